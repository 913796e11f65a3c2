// Programs and findings as JSON Lines, for exchange with another parityd or other tools: the content of a line
// (docs/interchange.md). Pure; any thread.
#pragma once

#include <tl/expected.hpp>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "store/base/ids.h"
#include "store/work/programs.h"

namespace parityd::store {

/// Incremented if a reader of the previous version would misread a line; a new key or record does not increment it.
inline constexpr int kInterchangeVersion = 1;
/// The longest line that is read, in bytes. A program has at most 256 KiB; a finding's line names every program that
/// shows it, perhaps a hundred thousand.
inline constexpr std::size_t kLongestLine = std::size_t{16} << 20;

/// The part of a line that can be queued.
struct InterchangeLine {
  std::string text;          // the program; for a finding the reduced one; empty: the header, nothing to queue
  std::string options_json;  // under which it ran; empty: not in the line
};
struct InterchangeError {
  std::string message;         // what is wrong with the line
  bool newer_version = false;  // the whole file is refused
};

/// `line` without its line end. Unknown keys are ignored.
[[nodiscard]] tl::expected<InterchangeLine, InterchangeError> interchange_line(std::string_view line);

/// The first line of a file.
[[nodiscard]] nlohmann::json interchange_header(Millis at, std::string_view parityd_version);
/// A program's line.
[[nodiscard]] nlohmann::json interchange_program(const ProgramRow& program);

}  // namespace parityd::store
