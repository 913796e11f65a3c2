#include "tests/fuzz/corpus.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

#include "tests/catch.h"
#include "tests/files.h"
#include "tests/fuzz/mutations.h"

// What the address sanitizer's runtime calls before it ends the process, the undefined-behaviour one's too.
// NOLINTNEXTLINE(bugprone-reserved-identifier): its name
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace parityd::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kUsualSeed = 20261121;

std::uint32_t number_from(const char* variable, std::uint32_t usual) {
  const char* text = std::getenv(variable);
  return text == nullptr ? usual : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

/// A failure shows this: the bytes themselves would break the report.
std::string readable(const std::string& bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    const auto code = static_cast<unsigned char>(byte);
    if (code >= 0x20 && code < 0x7F && byte != '\\') {
      text += byte;
    } else {
      text += {'\\', 'x', kDigits[code >> 4U], kDigits[code & 0xFU]};
    }
  }
  return text;
}

/// What is being fed: for the callback, which gets no argument.
struct Current {
  const char* corpus = "";
  std::uint32_t seed = 0;
  int number = 0;
  std::string bytes;
};

Current& current() {
  static Current the_one;
  return the_one;
}

std::string description() {
  const Current& now = current();
  return "corpus " + std::string(now.corpus) + ", seed " + std::to_string(now.seed) + ", mutation " +
         std::to_string(now.number) + ": " + readable(now.bytes);
}

/// While it lives, an assertion that fails prints the input before the process ends.
class SayOnAbort {
 public:
  SayOnAbort() : before_(std::signal(SIGABRT, [](int) { std::cerr << "\n" << description() << std::endl; })) {}
  ~SayOnAbort() { std::signal(SIGABRT, before_); }
  SayOnAbort(const SayOnAbort&) = delete;
  SayOnAbort& operator=(const SayOnAbort&) = delete;

 private:
  void (*before_)(int);
};

void feed_one(const Feed& feed) {
  const SayOnAbort say_on_abort;
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback([] { std::cerr << "\n" << description() << std::endl; });
  }
  try {
    feed(current().bytes);
  } catch (const std::exception& failure) {
    INFO(description());
    FAIL(failure.what());
  }
}

}  // namespace

fs::path folder(const char* name) { return fs::path(PARITYD_SOURCE_DIR) / "tests" / "fuzz" / "corpus" / name; }

std::vector<fs::path> files(const char* name) {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(folder(name))) {
    all.push_back(entry.path());
  }
  std::ranges::sort(all);
  return all;
}

void feed_corpus(const char* name, const Feed& feed) {
  for (const fs::path& file : files(name)) {
    current() = {.corpus = name, .bytes = tests::read_file(file)};
    CAPTURE(file);
    feed_one(feed);
  }
}

void feed_mutations(const char* name, int count, const Feed& feed, std::optional<Shape> shape) {
  std::vector<std::string> corpus;
  for (const fs::path& file : files(name)) {
    corpus.push_back(tests::read_file(file));
  }
  const std::uint32_t seed = number_from("PARITYD_FUZZ_SEED", kUsualSeed);
  const int times = static_cast<int>(number_from("PARITYD_FUZZ_TIMES", 1));
  Mutations mutations(std::move(corpus), seed, shape);
  for (int number = 0; number < count * times; ++number) {
    current() = {.corpus = name, .seed = seed, .number = number, .bytes = mutations.next()};
    feed_one(feed);
  }
}

}  // namespace parityd::fuzz
