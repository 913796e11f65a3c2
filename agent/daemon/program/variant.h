// Makes a program ordinary for the trials that find its trigger (docs/disposition.md). Text is appended to the program;
// nothing is parsed. Pure; any thread.
#pragma once

#include <string>

#include "oracle/finding/extent.h"

namespace parityd::agent {

/// Whether OPTIONS contain compile settings (mode, dynamic, fullgraph, …) besides those that are part of the program's
/// meaning (train, backward, …).
[[nodiscard]] bool has_settings(const std::string& options_json);

/// The OPTIONS of a trial as JSON: the program's own, or only those that are part of its meaning.
[[nodiscard]] std::string variant_options(const std::string& options_json, const oracle::TriggerTrial& trial);

/// The program's text with ordinary inputs (agent/daemon/program/ordinary_inputs.py) and, if it is to run under default
/// settings, with OPTIONS that have no compile settings. The program's line numbers do not change.
[[nodiscard]] std::string variant_text(const std::string& program, const std::string& options_json,
                                       const oracle::TriggerTrial& trial);

}  // namespace parityd::agent
