// What a running daemon takes over of a configuration that was read anew. A table says it of every key; pure, any
// thread.
#pragma once

#include <span>
#include <string_view>

#include "agent/config.h"
#include "agent/daemon/loop/service.h"

namespace parityd::agent {

/// A key, or a table whose keys go together, as docs/configuration.md names it.
struct ReloadRule {
  std::string_view key;
  bool live = false;  // in force at once; else from the next start
  bool (*same)(const Config& current, const Config& next) = nullptr;
  void (*keep)(const Config& current, Config& next) = nullptr;  // puts back what was; null for a live one
};
[[nodiscard]] std::span<const ReloadRule> reload_rules();

/// `current` becomes `next` but for what needs a restart.
[[nodiscard]] Reloaded take_over(Config& current, Config next);

/// Providers that were opened: of [run] provider, without builtin.
[[nodiscard]] std::vector<std::string> opened_providers(const Config& config);

}  // namespace parityd::agent
