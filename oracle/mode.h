// Modes, the named ways to run a program: the rows of executor/shared/modes.json (docs/adding-a-mode.md). Pure data;
// any thread.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "oracle/names.h"

namespace parityd::oracle {

enum class Mode {
#include "oracle/mode_names.inc"
};

/// When a mode runs.
enum class Look {
  chosen,   // a program's OPTIONS name it as their compiled mode
  first,    // with every program
  control,  // with a suspect, i.e. if the first look is inconsistent
  stage,    // to find the first stage of the compiler that shows an inconsistency
  trial,    // with a confirmed program while it is reduced: a part of the compiler that may show the fault sooner
};

/// What C++ needs to know of a mode; the worker reads more of the row.
struct ModeRow {
  std::string_view name{};     // in the protocol, the database and on every page
  std::string_view backend{};  // of torch.compile; empty: eager
  std::string_view route{};    // if not by torch.compile: a function of executor/worker/running/routes.py
  bool functional = false;     // parameters and buffers are arguments of what is compiled
  Look look{};
  std::optional<Mode> against{};  // the mode it is measured against
  bool dynamic = false;           // torch.compile(dynamic=True)
  bool in_double = false;
  bool normal = false;               // subnormal inputs, parameters and buffers are made normal
  std::string_view settings = "{}";  // JSON, by owner and name: {"inductor.freezing": true}
  std::string_view off = "{}";       // JSON: their values without the mode; needed of each that is not a flag
  std::string_view compile_mode{};   // how users request it: torch.compile(mode=…); empty: by the settings
  std::string_view words{};          // its name in titles, if neither settings nor compile_mode give one
  std::string_view options = "{}";   // JSON: what else OPTIONS must say for the mode to mean anything
  int calls = 1;                     // of the model, unless OPTIONS say otherwise
  bool swept = false;                // tried on findings in Inductor, to tell how far they reach
  std::string_view key{};            // of a chosen mode: its key in the configuration's [modes]; empty: never drawn
  double weight = 0;                 // how often it is drawn unless the configuration says otherwise
};

/// In the order of the enumeration, which is the order in which they run.
[[nodiscard]] std::span<const ModeRow> mode_rows();
[[nodiscard]] const ModeRow& row(Mode mode);
[[nodiscard]] std::vector<Mode> modes_of(Look look);

[[nodiscard]] const std::vector<std::string_view>& names(Mode);

/// True for modes that never call torch.compile: they run in the eager process of a confirmation round.
[[nodiscard]] bool is_eager(Mode mode);

/// True for the modes that a program's OPTIONS may name as its compiled mode.
[[nodiscard]] bool is_compiled_choice(Mode mode);

/// True for modes that run the program exported by torch.export.
[[nodiscard]] bool is_exported(const ModeRow& row);
[[nodiscard]] bool is_exported(Mode mode);

}  // namespace parityd::oracle
