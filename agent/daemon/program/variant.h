// A program made ordinary: what the trials for reach run (docs/disposition.md). Text is appended to the program, none
// of it is parsed. Pure; any thread.
#pragma once

#include <string>

#include "oracle/finding/extent.h"

namespace parityd::agent {

/// Whether OPTIONS say how to compile (mode, dynamic, fullgraph, …), beside what the program means (train, backward,
/// …).
[[nodiscard]] bool has_settings(const std::string& options_json);

/// The OPTIONS of a trial, as JSON: the program's own, or those of them that belong to its meaning.
[[nodiscard]] std::string variant_options(const std::string& options_json, const oracle::ReachTrial& trial);

/// The program's text with ordinary inputs (agent/daemon/program/ordinary_inputs.py) and, where it is to run under
/// default settings, with OPTIONS that say nothing of how to compile. Line numbers of the program stay.
[[nodiscard]] std::string variant_text(const std::string& program, const std::string& options_json,
                                       const oracle::ReachTrial& trial);

}  // namespace parityd::agent
