#include "tests/bench/measure.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "agent/llm/reply.h"
#include "tests/files.h"

namespace parityd::bench {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr int kMostWorkers = 1024;

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file() && (entry.path().extension() == ".md" || entry.path().extension() == ".py")) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

std::optional<Program> load(const fs::path& file, executor::SyntaxClient& syntax) {
  std::string text = tests::read_file(file);
  bool truncated = false;
  if (file.extension() != ".py") {
    auto found = agent::extract_program(text, agent::Finish::stop);
    if (found.klass != agent::ReplyClass::program) {
      return std::nullopt;
    }
    text = std::move(found.program);
    truncated = found.truncated;
  }
  std::optional<Program> program;
  syntax.normalise(text, true, truncated, [&](auto normalised) {
    if (normalised && normalised->has_model) {
      program = {.name = file.filename().string(), .text = normalised->text, .options_json = normalised->options_text};
    }
  });
  syntax.wait();
  return program;
}

}  // namespace

tl::expected<agent::Engine, std::string> make_engine(const Options& options, int workers) {
  agent::Config config;
  config.python = options.python;
  config.device = options.device;
  config.sandbox = options.sandbox;
  config.workers = workers;
  const int programs = options.limit > 0 ? options.limit : kMostWorkers;
  return agent::make_engine(config, agent::find_installation().cache / "scratch" / fmt::format("bench-{}", getpid()),
                            {.programs = programs});
}

Programs load_programs(const Options& options, executor::SyntaxClient& syntax) {
  Programs programs;
  for (const fs::path& file : files_of(options.programs)) {
    if (options.limit > 0 && static_cast<int>(programs.all.size()) >= options.limit) {
      break;
    }
    if (auto program = load(file, syntax)) {
      programs.all.push_back(std::move(*program));
    } else {
      programs.skipped.push_back(file.filename().string());
    }
  }
  return programs;
}

tl::expected<void, std::string> wait_until_primed(agent::Engine& engine) {
  agent::EventLoop waiter;
  engine.pool->poll(executor::Clock::now());
  while (engine.pool->counts().warm_ready < engine.pool->config(0).warm_workers) {
    if (const auto broken = engine.pool->broken()) {
      return tl::unexpected(*broken);
    }
    std::vector<executor::Interest> interests;
    engine.pool->append_interests(interests);
    wait(waiter, interests, engine.pool->next_deadline());
    engine.pool->poll(executor::Clock::now());
  }
  return {};
}

void wait(agent::EventLoop& waiter, const std::vector<executor::Interest>& interests,
          std::optional<executor::TimePoint> deadline) {
  const auto now = executor::Clock::now();
  const auto until = std::min(deadline.value_or(now + 1s), now + 1s);
  waiter.wait(interests, std::max(std::chrono::ceil<std::chrono::milliseconds>(until - now), 0ms));
}

std::string trouble(oracle::Mode mode, const oracle::Outcome& outcome) {
  return fmt::format("{} {}{}", oracle::name(mode), oracle::name(outcome.kind),
                     outcome.error ? " " + outcome.error->outer_class : "");
}

double median(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace parityd::bench
