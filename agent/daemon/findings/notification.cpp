#include "agent/daemon/findings/notification.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "store/base/text.h"

namespace parityd::agent {
namespace {

constexpr std::size_t kLongestValue = 500;
constexpr std::size_t kLongestFailure = 300;

/// What commands need: programs, a home, a language, a desktop session. Nothing else, because it may contain keys.
constexpr const char* kInherited[] = {"PATH",
                                      "HOME",
                                      "USER",
                                      "LOGNAME",
                                      "SHELL",
                                      "LANG",
                                      "LC_ALL",
                                      "TZ",
                                      "XDG_RUNTIME_DIR",
                                      "DBUS_SESSION_BUS_ADDRESS",
                                      "DISPLAY",
                                      "TMPDIR",
                                      "WAYLAND_DISPLAY"};

std::string value_of(std::string_view text) { return store::shortened(store::clean_line(text), kLongestValue); }

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return {};
  const auto begin = text.find_last_of('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

}  // namespace

executor::ProcessOptions notification_process(const NotifyConfig& config, const NotifyParts& parts,
                                              const store::FindingRow& finding, int attempt, std::size_t waiting) {
  executor::ProcessOptions options{.command = config.command, .environment = {}, .directory = "/"};
  for (const char* const name : kInherited) {
    if (const char* value = std::getenv(name)) options.environment[name] = value;
  }
  auto& environment = options.environment;
  environment["PARITYD_FINDING"] = std::to_string(finding.id);
  environment["PARITYD_TITLE"] = value_of(finding.title);
  environment["PARITYD_KIND"] = oracle::name(finding.kind);
  environment["PARITYD_STAGE"] = oracle::name(finding.stage);
  environment["PARITYD_SEVERITY"] = std::to_string(finding.disposition.severity);
  environment["PARITYD_TRIGGER"] = oracle::name(finding.trigger);
  environment["PARITYD_DEVICE"] = value_of(finding.device);
  environment["PARITYD_TORCH"] = value_of(finding.torch);
  environment["PARITYD_EXPLANATION"] = value_of(finding.explanation);
  environment["PARITYD_STATE"] = parts.state.string();
  environment["PARITYD_ATTEMPT"] = std::to_string(attempt);
  environment["PARITYD_WAITING"] = std::to_string(waiting);
  return options;
}

std::string notification_failure(executor::ExitState exit, const std::string& errors) {
  if (exit.status == 0 && exit.signal == 0) return {};
  const std::string how = exit.signal != 0 ? fmt::format("ended by signal {} ({})", exit.signal, strsignal(exit.signal))
                                           : fmt::format("exit code {}", exit.status);
  const std::string said = store::clean_line(last_line(errors));
  return store::shortened(said.empty() ? how : how + ": " + said, kLongestFailure);
}

}  // namespace parityd::agent
