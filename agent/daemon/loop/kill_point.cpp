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

std::string_view name(KillPoint point) {
  switch (point) {
    case KillPoint::resuming:
      return "resuming";
    case KillPoint::reserved:
      return "reserved";
    case KillPoint::sent:
      return "sent";
    case KillPoint::received:
      return "received";
    case KillPoint::validated:
      return "validated";
    case KillPoint::queued:
      return "queued";
    case KillPoint::executing:
      return "executing";
    case KillPoint::judged:
      return "judged";
    case KillPoint::stored:
      return "stored";
    case KillPoint::suspected:
      return "suspected";
    case KillPoint::confirmed:
      return "confirmed";
    case KillPoint::reduced:
      return "reduced";
    case KillPoint::attributed:
      return "attributed";
    case KillPoint::swept:
      return "swept";
    case KillPoint::drafted:
      return "drafted";
    case KillPoint::finished:
      return "finished";
    case KillPoint::before_commit:
      return "before_commit";
    case KillPoint::after_commit:
      return "after_commit";
  }
  return "?";
}

std::optional<KillPoint> kill_point_from_name(std::string_view text) {
  for (int number = 0; number <= static_cast<int>(kLast); ++number) {
    if (const auto point = static_cast<KillPoint>(number); name(point) == text) {
      return point;
    }
  }
  return std::nullopt;
}

tl::expected<KillHook, std::string> kill_hook_from_environment() {
  const char* const text = std::getenv(kVariable);
  if (text == nullptr) {
    return KillHook{};
  }
  const std::string_view whole(text);
  const auto colon = whole.find(':');
  const auto point = kill_point_from_name(whole.substr(0, colon));
  const std::string_view times = colon == std::string_view::npos ? "" : whole.substr(colon + 1);
  int left = 0;
  const auto [end, error] = std::from_chars(times.data(), times.data() + times.size(), left);
  if (!point || error != std::errc{} || end != times.data() + times.size() || left < 1) {
    return tl::unexpected(
        fmt::format("{}={}: expected POINT:TIMES as \"judged:3\" (docs/simulation.md lists the points); unset it",
                    kVariable, text));
  }
  return [point = *point, left](KillPoint reached) mutable {
    if (reached == point && --left == 0) {
      std::raise(SIGKILL);
    }
  };
}

}  // namespace parityd::agent
