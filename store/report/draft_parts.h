// Parts of a draft: its title and its tables, as Markdown that is safe to paste. Internal to store/. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "oracle/mode.h"
#include "oracle/rules/verdict.h"
#include "store/report/draft.h"

namespace parityd::store {

/// Stage, operator, symptom and condition in at most 120 characters; plain text.
[[nodiscard]] std::string draft_title(const DraftFacts& facts);

/// What happens and what should happen, in one sentence of prose.
[[nodiscard]] std::string symptom_sentence(const DraftFacts& facts);

/// "CPU, dynamic=True, backward".
[[nodiscard]] std::string condition(const DraftFacts& facts);
/// The number of threads the program runs with; 1 on a GPU, whatever its OPTIONS say.
[[nodiscard]] int threads_of(const DraftFacts& facts);
/// The compiled mode that OPTIONS name; `inductor` if they name none.
[[nodiscard]] const oracle::ModeRow& mode_of(const DraftFacts& facts);

/// Whether ordinary inputs and default settings show it, and which side the double runs show to be wrong; may be empty.
[[nodiscard]] std::string trigger_sentence(const FindingRow& finding);

/// The values of eager, compiled and eager in fp64 where they disagree, or how they ended.
[[nodiscard]] std::string results_table(const DraftFacts& facts);

/// The expected behaviour, and where PyTorch documents it.
[[nodiscard]] std::string expected(const DraftFacts& facts);

/// How the modes of a round ended.
[[nodiscard]] std::string outcome_table(const EvidenceRow& round);

/// The reported leaves with their numbers; empty if no number is meaningful.
[[nodiscard]] std::string number_table(const EvidenceRow& round);

/// Whether the program was exported instead of compiled by torch.compile.
[[nodiscard]] bool is_exported(const DraftFacts& facts);

/// The first stage that differs, in the terms of users of torch.compile or torch.export. Markdown.
[[nodiscard]] std::string first_stage(const DraftFacts& facts);

/// The result of each stage of the compiler; empty if no stage ran.
[[nodiscard]] std::string ablation_table(const DraftFacts& facts);

/// What makes it vanish, how that was verified, and a workaround; empty if there was no search.
[[nodiscard]] std::string cause(const DraftFacts& facts);

/// The cause that a model suspected before the program ran; empty unless attribution agrees.
[[nodiscard]] std::string suspected_cause(const DraftFacts& facts);

/// The other ablations that were tried; may be empty.
[[nodiscard]] std::string tried_table(const DraftFacts& facts);

/// "3 of 3 rounds, each of two fresh processes …".
[[nodiscard]] std::string confirmation(const DraftFacts& facts);

/// The exception, signal or deadline behind the finding, for the form's "Error logs"; may be long.
[[nodiscard]] std::string error_log(const DraftFacts& facts);

// What PyTorch's documentation promises, in parityd's own words, each with its page: the reference of a draft for "what
// was expected". Pure; any thread.

struct Documented {
  std::string_view name;  // operator as programs call it: "argmax"; for general promises a word of parityd's
  std::string_view fact;  // does not end with a full stop
  std::string_view page;  // full URL
};

/// Promises about operators, sorted by name.
[[nodiscard]] std::span<const Documented> documented_operators();

/// By the name of an operator in a graph or a program: "aten._softmax.default", "LayerNorm", "relu_"; null if it is not
/// listed.
[[nodiscard]] const Documented* documented_operator(std::string_view name);

/// The promise that holds for every program, by the kind of finding that violates it.
[[nodiscard]] const Documented& documented_promise(oracle::Kind kind);

}  // namespace parityd::store
