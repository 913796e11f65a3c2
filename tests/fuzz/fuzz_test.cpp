// The fuzzers' entry points without a fuzzer: the corpus, then damage to it, under whatever sanitizers the build has.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "executor/artefact.h"
#include "executor/protocol.h"
#include "tests/catch.h"
#include "tests/fuzz/entries.h"
#include "tests/fuzz/mutations.h"

namespace parityd::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kSeed = 20261121;

fs::path folder(const char* name) { return fs::path(PARITYD_SOURCE_DIR) / "tests" / "fuzz" / "corpus" / name; }

std::vector<fs::path> files(const char* name) {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(folder(name))) {
    all.push_back(entry.path());
  }
  std::ranges::sort(all);
  return all;
}

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> corpus(const char* name) {
  std::vector<std::string> all;
  for (const fs::path& file : files(name)) {
    all.push_back(contents(file));
  }
  return all;
}

/// What a failure shows: the bytes themselves would break the report.
std::string readable(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    const auto code = static_cast<unsigned char>(byte);
    text += code >= 0x20 && code < 0x7F ? std::string(1, byte) : "\\x" + std::to_string(code);
  }
  return text;
}

template <class Feed>
void feed_mutations(const char* name, int count, const Feed& feed) {
  Mutations mutations(corpus(name), kSeed);
  for (int number = 0; number < count; ++number) {
    const std::string bytes = mutations.next();
    try {
      feed(bytes);
    } catch (const std::exception& failure) {
      INFO("mutation " << number << ": " << readable(bytes));
      FAIL(failure.what());
    }
  }
}

}  // namespace

TEST_CASE("the corpus holds a good message of every type") {
  std::set<std::size_t> types;
  for (const fs::path& file : files("frames")) {
    const std::string line = contents(file);
    feed_frames(line);
    const auto message = executor::decode(line);
    CAPTURE(file, message ? "" : message.error());
    CHECK(message.has_value() == file.filename().string().starts_with("valid-"));
    if (message) {
      types.insert(message->index());
    }
  }
  CHECK(types.size() == std::variant_size_v<executor::FromWorker>);
}

TEST_CASE("the corpus holds good artefacts") {
  Artefacts artefacts;
  for (const fs::path& file : files("artefacts")) {
    CAPTURE(file);
    CHECK_NOTHROW(artefacts.feed(contents(file)));
  }
}

TEST_CASE("damaged messages are refused or used, nothing else") { feed_mutations("frames", 60'000, feed_frames); }

TEST_CASE("damaged artefacts are refused or compared, nothing else") {
  Artefacts artefacts;
  feed_mutations("artefacts", 10'000, [&](const std::string& bytes) { artefacts.feed(bytes); });
}

TEST_CASE("any bytes come out of a process as the lines that went in") {
  Lines lines;
  feed_mutations("frames", 30'000, [&](const std::string& bytes) { lines.feed(bytes); });
}

}  // namespace parityd::fuzz
