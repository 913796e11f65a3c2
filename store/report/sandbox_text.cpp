#include "store/report/sandbox_text.h"

#include <fmt/format.h>

#include "store/base/text.h"

namespace parityd::store {
namespace {

constexpr std::string_view kOff = "; off: ";
constexpr std::string_view kNone = "none";
constexpr std::size_t kSandboxLimit = 1'000;

/// Turns "user (R), mount (R)" into "user, mount (R)" for the one reason that many layers share.
std::string without_repetitions(std::string off, const std::string& level) {
  const std::string reason = fmt::format(" (not part of level {})", level);
  for (auto at = off.find(reason); at != std::string::npos; at = off.find(reason, at)) {
    const auto next = off.find(" (", at + reason.size());
    const bool repeated = next != std::string::npos && off.compare(next, reason.size(), reason) == 0;
    if (repeated) {
      off.erase(at, reason.size());
    } else {
      at += reason.size();
    }
  }
  return off;
}

}  // namespace

SandboxText sandbox_parts(std::string_view sandbox) {
  SandboxText parts;
  std::string_view layers = sandbox;
  const auto colon = sandbox.find(": ");
  if (colon != std::string_view::npos && sandbox.substr(0, colon).find_first_of(" ,;") == std::string_view::npos) {
    parts.level = sandbox.substr(0, colon);
    layers = sandbox.substr(colon + 2);
  }
  const auto off = layers.find(kOff);
  parts.on = layers.substr(0, off);
  if (off != std::string_view::npos) {
    parts.off = without_repetitions(std::string(layers.substr(off + kOff.size())), parts.level);
  }
  return parts;
}

std::string sandbox_summary(std::string_view sandbox) {
  const SandboxText parts = sandbox_parts(sandbox);
  if (parts.level.empty()) return sandbox.empty() ? "unknown" : std::string(sandbox);
  if (!parts.off.empty()) return parts.level + std::string(kOff) + parts.off;
  return parts.level == kNone ? parts.level : parts.level + ", nothing off";
}

std::string sandbox_sentence(std::string_view sandbox) {
  const SandboxText parts = sandbox_parts(sandbox);
  if (sandbox.empty()) return {};
  if (parts.level == kNone) return "The programs ran without a sandbox.";
  const std::string text = parts.level.empty() ? fmt::format("The programs ran in a sandbox ({}).", sandbox)
                                               : fmt::format("The programs ran in a sandbox (level {}{}{}).",
                                                             parts.level, parts.off.empty() ? "" : kOff, parts.off);
  return prose(shortened(clean_line(text), kSandboxLimit));
}

}  // namespace parityd::store
