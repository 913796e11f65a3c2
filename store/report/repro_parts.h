// What the scripts that run a finding's program eager and compiled are made of: the templates in store/report/scripts,
// and what these have to be told. Internal to store/. Pure.
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
/// Empty ones count as false.
void set_texts(Fields& fields, const std::vector<std::pair<std::string, std::string>>& texts);

/// What the finding and its options ask of a script; `program` is the one that is shown. `backend`: Python that gives
/// torch.compile's; empty: a script that names none.
[[nodiscard]] Fields script_fields(const DraftFacts& facts, const std::string& program,
                                   const std::string& backend = "");

/// store/report/scripts/NAME.py.mustache. Its names begin with "repro_". A line that may be missing brings the end of
/// the line before it: a section that is off leaves its own line empty.
[[nodiscard]] std::string script(const std::string& name, Fields fields);

/// Globals of the program that the finding names or that forward changes.
[[nodiscard]] std::vector<std::string> globals_reported(const DraftFacts& facts);

/// The program as it is shown, and a script without "repro_" before its names, or with names the program has not.
[[nodiscard]] std::string repro_program(const DraftFacts& facts);
[[nodiscard]] std::string without_prefix(std::string script);
[[nodiscard]] std::string without_clashes(std::string script, const std::string& program);

// JSON values as Python source. Pure; any thread.

/// A literal that evaluates to the value: strings quoted and escaped, true → True, null → None.
[[nodiscard]] std::string python_literal(const nlohmann::json& value);

}  // namespace parityd::store
