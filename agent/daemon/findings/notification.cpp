#include "agent/daemon/findings/notification.h"

#include <cstdlib>
#include <string_view>

#include "store/base/text.h"

namespace parityd::agent {
namespace {

constexpr std::size_t kLongestValue = 500;

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

}  // namespace parityd::agent
