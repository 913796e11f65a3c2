// Parts of the scripts that run a finding's program eager and compiled: the templates in store/report/scripts, and
// their fields. Internal to store/. Pure; any thread.
#pragma once

#include <kainjow/mustache.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "store/report/draft.h"

namespace parityd::store {

using Fields = kainjow::mustache::data;

void set_flags(Fields& fields, const std::vector<std::pair<std::string, bool>>& flags);
/// Empty texts count as false.
void set_texts(Fields& fields, const std::vector<std::pair<std::string, std::string>>& texts);

/// The fields that a script needs for the finding and its options; `program` is the text that is shown. `backend`:
/// Python expression for the backend of torch.compile; empty: a script without one.
[[nodiscard]] Fields script_fields(const DraftFacts& facts, const std::string& program,
                                   const std::string& backend = "");

/// Renders store/report/scripts/NAME.py.mustache. Its names begin with "repro_". An optional line begins with the line
/// end before it: if its section is off, no empty line remains.
[[nodiscard]] std::string script(const std::string& name, Fields fields);

/// Globals of the program that the finding names or that forward changes.
[[nodiscard]] std::vector<std::string> globals_reported(const DraftFacts& facts);

/// The program as it is shown; a script without "repro_" before its names, and one with names that the program does not
/// use.
[[nodiscard]] std::string repro_program(const DraftFacts& facts);
[[nodiscard]] std::string without_prefix(std::string script);
[[nodiscard]] std::string without_clashes(std::string script, const std::string& program);

// JSON values as Python source. Pure; any thread.

/// A literal that evaluates to the value: strings quoted and escaped, true → True, null → None.
[[nodiscard]] std::string python_literal(const nlohmann::json& value);

}  // namespace parityd::store
