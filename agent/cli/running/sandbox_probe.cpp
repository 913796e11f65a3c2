#include "agent/cli/running/sandbox_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <system_error>

#include "executor/process/process.h"

namespace parityd::agent {
namespace {

using executor::Clock;

constexpr std::chrono::milliseconds kReap(20);  // interval of checks, since no descriptor announces a process' end
constexpr std::size_t kShownAnswer = 80;

executor::Sandbox sandbox_from(const std::string& report) {
  const auto json = nlohmann::json::parse(report);
  executor::Sandbox sandbox{
      .level = json.at("level"), .layers = {}, .setup_milliseconds = json.at("setup_milliseconds")};
  for (const auto& layer : json.at("layers")) {
    sandbox.layers.push_back({.name = layer.at("name"), .on = layer.at("on"), .why = layer.at("why")});
  }
  return sandbox;
}

std::string last_line(std::string text) {
  text.erase(text.find_last_not_of(" \n") + 1);
  return text.substr(text.rfind('\n') + 1);
}

/// Why it failed; empty: it succeeded.
std::string failure_of(const executor::ExitState& ended, const std::string& errors) {
  if (ended.signal == 0 && ended.status == 0) return {};
  const std::string how = ended.signal != 0 ? fmt::format("ended by signal {}", ended.signal)
                                            : fmt::format("ended with exit code {}", ended.status);
  const std::string words = last_line(errors);
  return words.empty() ? how : words;
}

SandboxProbe probe(executor::Process process, std::chrono::milliseconds patience) {
  process.close_input();
  const auto deadline = Clock::now() + patience;
  std::optional<std::string> report;
  std::optional<executor::ExitState> ended;
  while (!process.output_closed() || !(ended = process.exit_state())) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) {
      return {.sandbox = {}, .failure = fmt::format("did not end within {} s", patience.count() / 1000)};
    }
    (void)process.wait(process.output_closed() ? std::min(left, kReap) : left);
    process.poll();
    while (auto line = process.take_line()) report = report ? report : std::move(line);
  }
  process.poll();
  SandboxProbe result{.sandbox = {}, .failure = failure_of(*ended, process.captured_errors())};
  try {
    if (report) result.sandbox = sandbox_from(*report);
  } catch (const nlohmann::json::exception&) {
    report->resize(std::min(report->size(), kShownAnswer));
  }
  if (!result.sandbox && result.failure.empty()) result.failure = report ? "answered " + *report : "gave no answer";
  return result;
}

std::string way_out(const std::string& wanted) {
  return fmt::format("docs/sandbox.md lists what each layer needs; [executor] sandbox = {}",
                     wanted == "full" ? "\"auto\" accepts less" : "\"none\" runs programs unprotected");
}

SandboxLine verdict(const SandboxProbe& probe, const std::string& wanted) {
  const std::string& level = probe.sandbox->level;
  if (wanted == "none") {
    return {SandboxLine::State::good, "sandbox", "none, as configured: programs run with your permissions"};
  }
  const bool too_little = level == "none" || (wanted == "full" && level != "full");
  if (!too_little && probe.failure.empty()) {
    return {SandboxLine::State::good, "sandbox",
            fmt::format("{}, set up in {:.1f} ms", level, probe.sandbox->setup_milliseconds)};
  }
  const std::string why = probe.failure.empty() ? fmt::format("level {}, but {} is required", level, wanted)
                                                : fmt::format("level {}: {}", level, probe.failure);
  return {SandboxLine::State::bad, "sandbox", why + "; " + way_out(wanted)};
}

}  // namespace

SandboxProbe probe_sandbox(const std::filesystem::path& launcher, const std::string& level,
                           std::chrono::milliseconds patience) {
  const char* path = std::getenv("PATH");
  try {
    return probe(executor::Process({.command = {launcher.string(), "--sandbox", level, "--probe"},
                                    .environment = {{"PATH", path != nullptr ? path : "/usr/bin:/bin"}},
                                    .directory = {}}),
                 patience);
  } catch (const std::system_error& error) {
    return {.sandbox = {}, .failure = fmt::format("{}: {}", launcher.string(), error.code().message())};
  }
}

std::vector<SandboxLine> sandbox_lines(const SandboxProbe& probe, const std::string& wanted) {
  if (!probe.sandbox) {
    return {{SandboxLine::State::bad, "sandbox", "the launcher failed: " + probe.failure + "; run ./bootstrap"}};
  }
  std::vector<SandboxLine> lines{verdict(probe, wanted)};
  for (const auto& layer : probe.sandbox->layers) {
    lines.push_back({layer.on ? SandboxLine::State::on : SandboxLine::State::off, layer.name, layer.why});
  }
  return lines;
}

}  // namespace parityd::agent
