// The named ways to run a program: the rows of executor/shared/modes.json (docs/adding-a-mode.md). Pure data; any
// thread.
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
  chosen,  // a program's OPTIONS name it as their compiled mode
  first,   // with every program
  closer,  // with what the first look finds suspicious
  ladder,  // to find the compiler's stage that shows an inconsistency first
  trial,   // with a confirmed program that is being reduced: a part of the compiler that may show the fault sooner
};

/// What C++ asks of a mode; the worker asks more.
struct ModeRow {
  std::string_view name{};     // in the protocol, the database and on every page
  std::string_view backend{};  // of torch.compile; empty: eager
  std::string_view route{};    // how it is compiled, where not by torch.compile: executor/worker/running/routes.py
  bool functional = false;     // parameters and buffers are arguments of what is compiled
  Look look{};
  std::optional<Mode> against{};  // what it is measured against
  bool dynamic = false;           // torch.compile(dynamic=True)
  bool in_double = false;
  bool normal = false;               // nothing it starts from is subnormal
  std::string_view settings = "{}";  // JSON, by owner and name: {"inductor.freezing": true}
  std::string_view off = "{}";       // JSON: what they are without it; has each that is no flag
  std::string_view compile_mode{};   // how users ask for it: torch.compile(mode=…); empty: by the settings
  std::string_view words{};          // for it in titles, where neither settings nor compile_mode tell
  std::string_view options = "{}";   // JSON: what else OPTIONS have to say for it to mean anything
  int calls = 1;                     // of the model, where OPTIONS say nothing
  bool swept = false;                // asked of a finding in Inductor, to tell how far that reaches
  std::string_view key{};            // of a chosen mode, in the configuration's [modes]; empty: it is never drawn
  double weight = 0;                 // how often it is drawn unless the configuration says otherwise
};

/// In the order of the enumeration, in which they run.
[[nodiscard]] std::span<const ModeRow> mode_rows();
[[nodiscard]] const ModeRow& row(Mode mode);
[[nodiscard]] std::vector<Mode> modes_of(Look look);

[[nodiscard]] const std::vector<std::string_view>& names(Mode);

/// True for modes that never call torch.compile: they run in the eager process of a gate round.
[[nodiscard]] bool is_eager(Mode mode);

/// True for the modes a program's OPTIONS may name as its own compiled mode.
[[nodiscard]] bool is_compiled_choice(Mode mode);

/// True for modes that run what torch.export made of the program.
[[nodiscard]] bool is_exported(const ModeRow& row);
[[nodiscard]] bool is_exported(Mode mode);

}  // namespace parityd::oracle
