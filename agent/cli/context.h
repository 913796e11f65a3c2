// Passed to every subcommand: the state folder and the output streams. One thread.
#pragma once

#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "agent/cli/screen.h"
#include "agent/config.h"

namespace parityd::agent {

struct Context {
  std::filesystem::path state_directory;
  std::filesystem::path config_file;   // empty: the default place
  std::vector<std::string> arguments;  // the whole command line
  std::ostream& out;
  std::ostream& err;
  Screen screen;
  int exit_code = 0;  // 0 fine, 1 found something or not found, 2 misuse, 3 environment

  [[nodiscard]] std::filesystem::path database() const { return state_directory / "parityd.db"; }
  /// Writes a line to `err` and sets the exit code.
  template <class... Arguments>
  void fail(int code, fmt::format_string<Arguments...> text, Arguments&&... values) {
    err << fmt::format(text, std::forward<Arguments>(values)...) << "\n";
    exit_code = code;
  }
  /// Writes a heading to `out` after an empty line.
  void heading(std::string_view text) const;
};

/// `given` (--state), else $STATE_DIRECTORY, else $XDG_STATE_HOME/parityd, else ~/.local/state/parityd.
[[nodiscard]] std::filesystem::path resolve_state_directory(const std::string& given);

/// Reads the configuration; the error lists its mistakes.
[[nodiscard]] tl::expected<Config, ConfigErrors> read_context_config(const Context& context);

/// The configuration; nullopt after its mistakes have been printed and exit_code is 2.
[[nodiscard]] std::optional<Config> load_context_config(Context& context);

}  // namespace parityd::agent
