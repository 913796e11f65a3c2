// Pieces of a draft: its title and its tables, as Markdown that is already safe to paste. Internal to store/. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "oracle/mode.h"
#include "oracle/rules/verdict.h"
#include "store/report/draft.h"

namespace parityd::store {

/// The round that showed the inconsistency; null when none did.
[[nodiscard]] const EvidenceRow* shown_round(const DraftFacts& facts);

/// Stage, operator, symptom and condition in at most 120 characters; plain text.
[[nodiscard]] std::string draft_title(const DraftFacts& facts);

/// What happens and what should, in one sentence of prose.
[[nodiscard]] std::string symptom_sentence(const DraftFacts& facts);

/// "CPU, dynamic=True, backward".
[[nodiscard]] std::string condition(const DraftFacts& facts);
/// With which it runs; on a GPU one, whatever its OPTIONS say.
[[nodiscard]] int threads_of(const DraftFacts& facts);
/// The compiled mode that OPTIONS name; `inductor` where they name none.
[[nodiscard]] const oracle::ModeRow& mode_of(const DraftFacts& facts);

/// Whether ordinary inputs and default settings show it, and which side the double runs speak against; may be empty.
[[nodiscard]] std::string reach_sentence(const FindingRow& finding);

/// What eager, compiled and eager in fp64 gave where they disagree, or how they ended.
[[nodiscard]] std::string results_table(const DraftFacts& facts);

/// What should have happened, and where PyTorch documents it.
[[nodiscard]] std::string expected(const DraftFacts& facts);

/// How the modes of a round ended.
[[nodiscard]] std::string outcome_table(const EvidenceRow& round);

/// The reported leaves with their numbers; empty when no number says anything.
[[nodiscard]] std::string number_table(const EvidenceRow& round);

/// Whether the program was exported rather than given to torch.compile.
[[nodiscard]] bool is_exported(const DraftFacts& facts);

/// The first stage that differs, as users of torch.compile or torch.export know it. Markdown.
[[nodiscard]] std::string first_stage(const DraftFacts& facts);

/// What each stage of the compiler does with the program; empty when no ladder ran.
[[nodiscard]] std::string ablation_table(const DraftFacts& facts);

/// What makes it vanish and how that was verified, and a workaround; empty when nobody searched.
[[nodiscard]] std::string cause(const DraftFacts& facts);

/// Where a model supposed the cause before the program ran; empty unless attribution agrees.
[[nodiscard]] std::string suspected_cause(const DraftFacts& facts);

/// What else the search tried; may be empty.
[[nodiscard]] std::string tried_table(const DraftFacts& facts);

/// "3 of 3 rounds, each of two fresh processes …".
[[nodiscard]] std::string confirmation(const DraftFacts& facts);

/// The exception, signal or deadline behind the finding, for the form's "Error logs"; may be long.
[[nodiscard]] std::string error_log(const DraftFacts& facts);

// What PyTorch's documentation promises, in our own words, each with the page that says it: the yardstick a draft names
// for "what was expected". Pure; any thread.

struct Documented {
  std::string_view name;  // operator as programs call it: "argmax"; of general promises, a word for them
  std::string_view fact;  // ends without a full stop
  std::string_view page;  // whole address
};

/// Of operators, sorted by name.
[[nodiscard]] std::span<const Documented> documented_operators();

/// Of an operator as a graph or a program names it: "aten._softmax.default", "LayerNorm", "relu_"; null: none is
/// listed.
[[nodiscard]] const Documented* documented_operator(std::string_view name);

/// What holds for every program, by the kind of the finding that goes against it.
[[nodiscard]] const Documented& documented_promise(oracle::Kind kind);

}  // namespace parityd::store
