#include "agent/daemon/loop/kill_point.h"

#include <fmt/format.h>

#include <charconv>
#include <csignal>
#include <cstdlib>

namespace parityd::agent {
namespace {

constexpr const char* kVariable = "PARITYD_KILL_AT";

constexpr auto kLast = KillPoint::after_commit;

}  // namespace

tl::expected<KillHook, std::string> kill_hook_from_environment() {
  const char* const text = std::getenv(kVariable);
  if (text == nullptr) return KillHook{};
  const std::string_view whole(text);
  const auto colon = whole.find(':');
  const auto point = oracle::from_name<KillPoint>(whole.substr(0, colon));
  const std::string_view times = colon == std::string_view::npos ? "" : whole.substr(colon + 1);
  int left = 0;
  const auto [end, error] = std::from_chars(times.data(), times.data() + times.size(), left);
  if (!point || error != std::errc{} || end != times.data() + times.size() || left < 1) {
    return tl::unexpected(
        fmt::format("{}={}: expected POINT:TIMES as \"judged:3\" (docs/simulation.md lists the points); unset it",
                    kVariable, text));
  }
  return [point = *point, left](KillPoint reached) mutable {
    if (reached == point && --left == 0) std::raise(SIGKILL);
  };
}

}  // namespace parityd::agent
