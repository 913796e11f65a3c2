// parityd-bench: what the pool is worth and what it costs (docs/benchmarks.md).
#include <CLI/CLI.hpp>

#include <iostream>
#include <nlohmann/json.hpp>

#include "tests/bench/benchmarks.h"

namespace {

using namespace parityd::bench;

constexpr int kEnvironment = 3;

void add_options(CLI::App& command, Options& options) {
  command.add_option("--python", options.python, "Interpreter whose torch is used; default: the newest worker built");
  command.add_option("--device", options.device, "Device to run on: cpu, cuda or auto")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
  command.add_option("--repeats", options.repeats, "Times that each side runs, in turn")->check(CLI::Range(1, 100));
  command.add_flag("--json", options.json, "One object instead of tables: ratio and the numbers behind it");
}

void add_program_options(CLI::App& command, Options& options) {
  command.add_option("--programs", options.programs, "Folder of programs (.py) or replies (.md)")
      ->required()
      ->check(CLI::ExistingDirectory);
  command.add_option("--workers", options.workers, "Processes at the same time, on both sides")
      ->check(CLI::Range(1, 256));
  command.add_option("--limit", options.limit, "Only the first so many programs")->check(CLI::Range(1, 1'000'000));
  command.add_option("--sandbox", options.sandbox, "Level of the pool's and the fresh processes' sandbox")
      ->check(CLI::IsMember({"auto", "full", "reduced", "none"}));
}

int fail(const std::string& why) {
  std::cerr << "parityd-bench: " << why << "\n";
  return kEnvironment;
}

int show(const tl::expected<Report, std::string>& report, const Options& options) {
  if (!report) {
    return fail(report.error());
  }
  std::cout << (options.json ? json(*report).dump() + "\n" : text(*report)) << std::flush;
  return 0;
}

int show_compare(const Options& options) {
  const auto result = compare_benchmark(options);
  if (!result) {
    return fail(result.error());
  }
  std::cout << (options.json ? result->dump() + "\n" : compare_text(*result)) << std::flush;
  return 0;
}

int run(int argc, char** argv) {
  Options options;
  int exit_code = 0;
  CLI::App app("Measures parityd's pool on real programs; what the numbers mean is in docs/benchmarks.md.",
               "parityd-bench");
  app.require_subcommand(1);
  const auto add = [&](const char* name, const char* what, auto* benchmark) {
    CLI::App* command = app.add_subcommand(name, what);
    add_options(*command, options);
    add_program_options(*command, options);
    command->callback([&, benchmark] { exit_code = show(benchmark(options), options); });
  };
  add("pool", "A new process for each program ÷ warm workers", pool_benchmark);
  add("overhead", "Warm workers ÷ a plain loop without parityd", overhead_benchmark);
  add("scale", "Speed-up of many workers over one ÷ workers", scale_benchmark);
  CLI::App* compare = app.add_subcommand("compare", "torch's same ÷ the worker's measurement of the same tensors");
  add_options(*compare, options);
  compare->add_option("--programs", options.programs, "Not used: accepted so that all benchmarks take the same words");
  compare->callback([&] { exit_code = show_compare(options); });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error, std::cout, std::cerr) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    return fail(error.what());
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv); }
