// What a running daemon applies of a reloaded configuration, from a table with a rule for every key. Pure; any thread.
#pragma once

#include <span>
#include <string_view>

#include "agent/config.h"
#include "agent/daemon/loop/service.h"

namespace parityd::agent {

/// A key, or a table whose keys change together, as named in docs/configuration.md.
struct ReloadRule {
  std::string_view key;
  bool live = false;  // applies at once; else from the next start
  bool (*same)(const Config& current, const Config& next) = nullptr;
  void (*keep)(const Config& current, Config& next) = nullptr;  // restores the current value; null for a live key
};
[[nodiscard]] std::span<const ReloadRule> reload_rules();

/// Replaces `current` by `next`, except the keys that need a restart.
[[nodiscard]] Reloaded take_over(Config& current, Config next);

/// The opened providers: those of [run] provider, without builtin.
[[nodiscard]] std::vector<std::string> opened_providers(const Config& config);

}  // namespace parityd::agent
