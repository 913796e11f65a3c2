// Programs and findings as JSON Lines, to take from one parityd to another or to other tools: what a line holds
// (docs/interchange.md). Pure.
#pragma once

#include <tl/expected.hpp>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "store/base/ids.h"
#include "store/work/programs.h"

namespace parityd::store {

/// Raised when a reader of the version before would take a line wrongly; a new key or record does not raise it.
inline constexpr int kInterchangeVersion = 1;
/// The longest line that is read, in bytes. A program has at most 256 KiB; a finding's line names each of the programs
/// that show it, of which there may be a hundred thousand.
inline constexpr std::size_t kLongestLine = std::size_t{16} << 20;

/// What of one line can be queued.
struct InterchangeLine {
  std::string text;          // the program; of a finding the reduced one; empty: the header, nothing to queue
  std::string options_json;  // that it ran with; empty: the line does not say
};
struct InterchangeError {
  std::string message;         // what is wrong with the line
  bool newer_version = false;  // the whole file is refused
};

/// `line` without its end. Keys that are not known are passed over.
[[nodiscard]] tl::expected<InterchangeLine, InterchangeError> interchange_line(std::string_view line);

/// The first line of a file.
[[nodiscard]] nlohmann::json interchange_header(Millis at, std::string_view parityd_version);
/// A program's line.
[[nodiscard]] nlohmann::json interchange_program(const ProgramRow& program);

}  // namespace parityd::store
