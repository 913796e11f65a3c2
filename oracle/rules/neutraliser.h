// Neutralisers (docs/attribution.md): what one compiled run does otherwise, so that a finding may vanish. Pure data;
// any thread.
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
  lowering,       // the eager kernel runs instead of what Inductor would generate for one operator
  decomposition,  // one operator is not taken apart: its eager kernel runs whole
  partition,      // forward saves something else for backward
  graph,          // eager kernels run the graphs of one pass, as they were before they became code
  guards,         // each call is compiled anew: nothing decides whether compiled code still fits
};
constexpr auto names(NeutraliserKind) {
  return std::to_array<std::string_view>(
      {"config", "pass_group", "lowering", "decomposition", "partition", "graph", "guards"});
}
/// The partitioner saves an input as it is and lets backward compute again what forward made of it, but forward's write
/// in place comes first.
inline constexpr std::string_view kWrittenInputs = "written_inputs";
/// Backward computes nothing again: forward saves all that it needs.
inline constexpr std::string_view kNothingRecomputed = "nothing_recomputed";

inline constexpr std::string_view kEveryCall = "every_call";

inline constexpr std::string_view kForwardGraph = "forward", kBackwardGraph = "backward";

struct Neutraliser {
  NeutraliserKind kind = NeutraliserKind::config;
  /// config: "inductor.max_fusion_size", "functorch.cse", "dynamo.specialize_float", "compile.dynamic" (an argument of
  /// torch.compile). pass_group: "pre_grad", "joint_graph" or "post_grad". partition: "written_inputs", saved
  /// as copies, or "nothing_recomputed". graph: "forward" or "backward". guards: "every_call". Otherwise an operator:
  /// "aten.amin.default".
  std::string name;
  std::string value = {};  // config only, as JSON: "1", "false"
  friend bool operator==(const Neutraliser&, const Neutraliser&) = default;
};

/// It takes away what one operator became, and leaves settings and passes as they are.
[[nodiscard]] constexpr bool names_operator(const Neutraliser& one) {
  return one.kind == NeutraliserKind::lowering || one.kind == NeutraliserKind::decomposition;
}

/// For people: "torch._inductor.config.max_fusion_size = 1", "post-grad passes off", "lowering of aten.amin replaced by
/// the eager kernel".
[[nodiscard]] std::string text(const Neutraliser& neutraliser);
/// Joined by " and "; a long list is cut and counted.
[[nodiscard]] std::string text(const std::vector<Neutraliser>& together);

/// The database's form, one line: "config inductor.max_fusion_size=1", "lowering aten.amin.default"; what works only
/// together is joined by "; ".
[[nodiscard]] std::string line(const std::vector<Neutraliser>& together);
/// nullopt where any part is none.
[[nodiscard]] std::optional<std::vector<Neutraliser>> neutralisers_from_line(std::string_view line);

/// What a user could write to be rid of the finding.
struct Workaround {
  std::string python;  // "torch._inductor.config.max_fusion_size = 1"
  std::string caveat;  // what it costs, or that it is not what was tried; empty where it is exactly that
};
/// `torch` is a version: "2.13.0+cpu"; `program` is the text in which an operator is called, or which calls what
/// becomes it. nullopt where no user has a means against it.
[[nodiscard]] std::optional<Workaround> workaround(const Neutraliser& neutraliser, std::string_view torch,
                                                   std::string_view program);

/// Whether `torch`, a version, is `major.minor` or later.
[[nodiscard]] bool is_at_least(std::string_view torch, int major, int minor);

/// The protocol's form: {"kind", "name"} and, of a config, "value".
void to_json(nlohmann::json& json, const Neutraliser& neutraliser);

}  // namespace parityd::oracle
