#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "agent/cli/table.h"
#include "tests/bench/bare_lane.h"
#include "tests/bench/benchmarks.h"

namespace parityd::bench {
namespace {

namespace fs = std::filesystem;

/// What the script printed last; the error is what it said on stderr.
tl::expected<nlohmann::json, std::string> run_script(const executor::ProcessOptions& options) {
  agent::EventLoop waiter;
  executor::Process process(options);
  std::string last;
  while (!process.exit_state() || !process.output_closed()) {
    std::vector<executor::Interest> interests;
    process.append_interests(interests);
    const auto closed = process.output_closed();
    wait(waiter, interests, executor::Clock::now() + std::chrono::milliseconds(closed ? 5 : 1000));
    process.poll();
    while (auto line = process.take_line()) {
      last = std::move(*line);
    }
  }
  auto result = nlohmann::json::parse(last, nullptr, false);
  if (result.is_discarded()) {
    return tl::unexpected("compare_cost.py printed no result:\n" + process.captured_errors());
  }
  return result;
}

std::string microseconds(const nlohmann::json& row, const char* what) {
  return fmt::format("{:.1f}", row.at(what).get<double>() * 1e6);
}

}  // namespace

tl::expected<nlohmann::json, std::string> compare_benchmark(const Options& options) {
  auto engine = make_engine(options, 1);
  if (!engine) {
    return tl::unexpected(engine.error());
  }
  const executor::GroupConfig config = engine->pool->config(0);
  const std::string torch = engine->workers.front().torch;
  engine->pool.reset();  // its worker would take a processor
  const agent::ScratchFolder scratch(agent::find_installation().cache / "scratch" /
                                     fmt::format("bench-compare-{}", getpid()));
  const fs::path script = fs::path(PARITYD_SOURCE_DIR) / "tests" / "bench" / "compare_cost.py";
  return run_script(plain_python(config, scratch.path(),
                                 {script.string(), config.module.string(), std::string(name(config.device)),
                                  fmt::format("{}", options.repeats)}))
      .map([&](nlohmann::json result) {
        result["benchmark"] = "compare";
        result["meaning"] =
            "time of torch's same with a double reference ÷ time of the fused measurement, median of rows";
        result["machine"] = fmt::format("{}, torch {}", executor::name(config.device), torch);
        return result;
      });
}

std::string compare_text(const nlohmann::json& result) {
  agent::Table table({"dtype", "shape", "same µs", "fused µs", "ratio", "copy µs", "bandwidth", "record µs"});
  for (const auto& row : result.at("rows")) {
    table.add({row.at("dtype"), fmt::format("{}", fmt::join(row.at("shape").get<std::vector<int>>(), "×")),
               microseconds(row, "same"), microseconds(row, "fused"),
               fmt::format("{:.2f}", row.at("same").get<double>() / row.at("fused").get<double>()),
               microseconds(row, "copy"), fmt::format("{:.2f}", row.at("bandwidth").get<double>()),
               microseconds(row, "record")});
  }
  return fmt::format(
      "compare on {}\n\n{}\nratio {:.3f} ({})\nbandwidth {:.3f} (of a copy's, the largest rows' median)\n",
      result.at("machine").get<std::string>(), table.text({}), result.at("ratio").get<double>(),
      result.at("meaning").get<std::string>(), result.at("bandwidth").get<double>());
}

}  // namespace parityd::bench
