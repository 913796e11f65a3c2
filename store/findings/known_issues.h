// Known issues of pytorch/pytorch, facts only, and which of them a finding may be. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "oracle/rules/signature.h"
#include "oracle/rules/verdict.h"

namespace parityd::store {

struct FindingRow;

inline constexpr std::string_view kUmbrellaTrait = "umbrella";  // of an issue that tracks others

struct KnownIssue {
  int number = 0;
  std::string title;                   // only for matching, never shown: it may be the reporter's sentence
  std::string state = "unknown";       // open, closed, unknown
  std::vector<std::string> operators;  // the operators it is about; some are alternatives
  std::string trait;                   // short class of its cause: "type_promotion"; "umbrella" for tracking issues
  oracle::Kind kind = oracle::Kind::numerical;
  oracle::Stage stage = oracle::Stage::inductor;
  std::string device = "any";  // cpu, cuda, any
  std::string error;           // part of its error message; may be empty
};

/// Lines of store/known_issues.jsonl, or of a file in that form: one object per issue; one object may hold `as_of`, the
/// day (UTC) on which its facts were gathered.
struct KnownFile {
  std::vector<KnownIssue> issues;
  std::optional<std::int64_t> as_of;  // Unix milliseconds
};
/// On failure all mistakes, each as "line N: …".
[[nodiscard]] tl::expected<KnownFile, std::vector<std::string>> parse_known_issues(std::string_view text);
/// One line of such a file, without its end.
[[nodiscard]] std::string known_issue_line(const KnownIssue& issue);

/// The facts about a finding that the matcher uses.
struct KnownQuery {
  oracle::Kind kind = oracle::Kind::numerical;
  oracle::Stage stage = oracle::Stage::inductor;
  std::vector<std::string> operators;  // captured, as PyTorch names them; most are already decomposed
  std::vector<std::string> called;     // names the program calls: "softmax", "LayerNorm"
  std::string device;
  std::string message;       // compiled's error with the compiler's function, or eager's if compiled code runs
  std::string dtype_class;   // of the first reported leaf: bool, integer, float, low_precision, complex; may be empty
  bool eager_wrong = false;  // the double runs show eager wrong, or it dies
  std::string differs;       // of metadata: dtype, shape, requires_grad, aliasing or stride; may be empty
  std::optional<std::string> options;  // the program's, as its text has them; nullopt: not known
};
[[nodiscard]] KnownQuery known_query(const oracle::Shown& shown, const FindingRow& finding);
/// The form in the database: JSON.
[[nodiscard]] std::string known_query_text(const KnownQuery& query);
[[nodiscard]] KnownQuery known_query_from_text(const std::string& text);

struct KnownMatch {
  int issue = 0;
  std::string state;
  bool confident = false;  // else possible
  std::string reason;      // in words
};

/// The most likely first, at most three, since a person reads each.
[[nodiscard]] std::vector<KnownMatch> match_known(const KnownQuery& query, const std::vector<KnownIssue>& issues);

// The operators and dtypes by which a finding can be searched: those of its first program. Pure; any thread.

/// Of the captured graph, with whole names ("aten.max.dim"), sorted; empty if nothing was captured.
[[nodiscard]] std::vector<std::string> operators_shown(const oracle::Evidence& evidence);

/// Of the leaves that differ between eager and compiled, and those that the program's text names ("torch.int8",
/// ".half()"); sorted.
[[nodiscard]] std::vector<std::string> dtypes_shown(const oracle::Evidence& evidence, std::string_view program);

}  // namespace parityd::store
