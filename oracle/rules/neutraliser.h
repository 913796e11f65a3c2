// Neutralisers (docs/attribution.md): changes to the compiler's set-up, one or several for a run, with which a finding
// may vanish. Pure data; any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/names.h"
namespace parityd::oracle {

enum class NeutraliserKind {
  config,         // a setting has another value
  pass_group,     // a group of FX passes does not run
  lowering,       // one operator runs its eager kernel instead of the code Inductor would generate
  decomposition,  // one operator is not decomposed: its eager kernel runs whole
  partition,      // forward saves other tensors for backward
  graph,          // eager kernels run the graphs of forward or of backward, as they were before code generation
  guards,         // each call is compiled again, so that no guard decides whether compiled code still fits
};
constexpr auto names(NeutraliserKind) {
  return std::to_array<std::string_view>(
      {"config", "pass_group", "lowering", "decomposition", "partition", "graph", "guards"});
}
/// The partitioner saves an input as it is and lets backward recompute forward's results from it, although forward
/// writes to that input first.
inline constexpr std::string_view kWrittenInputs = "written_inputs";
/// Backward recomputes nothing: forward saves all that backward needs.
inline constexpr std::string_view kNothingRecomputed = "nothing_recomputed";

inline constexpr std::string_view kEveryCall = "every_call";

inline constexpr std::string_view kForwardGraph = "forward", kBackwardGraph = "backward";

struct Neutraliser {
  NeutraliserKind kind = NeutraliserKind::config;
  /// config: "inductor.max_fusion_size", "functorch.cse", "dynamo.specialize_float", "compile.dynamic" (an argument of
  /// torch.compile). pass_group: "pre_grad", "joint_graph" or "post_grad". partition: "written_inputs", saved as
  /// copies, or "nothing_recomputed". graph: "forward" or "backward". guards: "every_call". Otherwise an operator:
  /// "aten.amin.default".
  std::string name;
  std::string value = {};  // config only, as JSON: "1", "false"
  friend bool operator==(const Neutraliser&, const Neutraliser&) = default;
};

/// Whether it replaces the compiled form of one operator and leaves settings and passes unchanged.
[[nodiscard]] constexpr bool names_operator(const Neutraliser& one) {
  return one.kind == NeutraliserKind::lowering || one.kind == NeutraliserKind::decomposition;
}

/// For people: "torch._inductor.config.max_fusion_size = 1", "post-grad passes disabled", "lowering of aten.amin
/// replaced by the eager kernel".
[[nodiscard]] std::string text(const Neutraliser& neutraliser);
/// Joined by " and "; a long list is cut, and the rest counted.
[[nodiscard]] std::string text(const std::vector<Neutraliser>& together);

/// The form in the database, one line: "config inductor.max_fusion_size=1", "lowering aten.amin.default"; neutralisers
/// that only work together are joined by "; ".
[[nodiscard]] std::string line(const std::vector<Neutraliser>& together);
/// nullopt if any part is not a neutraliser.
[[nodiscard]] std::optional<std::vector<Neutraliser>> neutralisers_from_line(std::string_view line);

/// What a user could write to avoid the finding.
struct Workaround {
  std::string python;  // "torch._inductor.config.max_fusion_size = 1"
  std::string caveat;  // what it costs, or that it was not tried in this form; empty if this was tried as it is
};
/// `torch` is a version: "2.13.0+cpu". `program` is the text of a program that calls the operator, or calls something
/// that becomes it. nullopt if users have no workaround.
[[nodiscard]] std::optional<Workaround> workaround(const Neutraliser& neutraliser, std::string_view torch,
                                                   std::string_view program);

/// Whether the version `torch` is `major.minor` or later.
[[nodiscard]] bool is_at_least(std::string_view torch, int major, int minor);

/// The form in the protocol: {"kind", "name"} and, of a config, "value".
void to_json(nlohmann::json& json, const Neutraliser& neutraliser);

}  // namespace parityd::oracle
