#include "oracle/finding/ablations.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "oracle/json_read.h"
#include "oracle/mode.h"

namespace parityd::oracle {
namespace {

enum class When { always, cpp, gpu, dynamic, backward, threads };
enum class Family {
  dynamic,
  capture,
  autograd,
  partition,
  numerics,
  folding,
  reductions,
  memory,
  layout,
  fusion,
  loops,
  threads
};
constexpr std::size_t kFamilies = 12;

/// One setting, the torch version that introduced it, and when it could matter.
struct AblationRow {
  Family family;
  When when;
  const char* name;
  const char* value;
  int minor = 6;  // of torch 2
};

constexpr std::array kAblations{
    AblationRow{Family::dynamic, When::dynamic, "dynamo.automatic_dynamic_shapes", "false"},
    AblationRow{Family::dynamic, When::dynamic, "compile.dynamic", "false"},
    AblationRow{Family::capture, When::always, "dynamo.specialize_float", "true"},
    AblationRow{Family::capture, When::always, "dynamo.specialize_int", "true"},
    AblationRow{Family::capture, When::always, "dynamo.trace_numpy", "false"},
    AblationRow{Family::capture, When::always, "dynamo.enable_dynamo_decompositions", "false", 11},
    AblationRow{Family::capture, When::always, "dynamo.inline_inbuilt_nn_modules", "false"},
    AblationRow{Family::autograd, When::always, "functorch.view_replay_for_aliased_outputs", "false"},
    AblationRow{Family::autograd, When::always, "functorch.cse", "false"},
    AblationRow{Family::partition, When::backward, "functorch.treat_parameters_as_free_to_save", "false"},
    AblationRow{Family::numerics, When::gpu, "inductor.eager_numerics.division_rounding", "true", 11},
    AblationRow{Family::numerics, When::gpu, "inductor.eager_numerics.disable_ftz", "true", 11},
    AblationRow{Family::numerics, When::gpu, "inductor.eager_numerics.use_pytorch_libdevice", "true", 12},
    AblationRow{Family::folding, When::always, "inductor.joint_graph_constant_folding", "false"},
    AblationRow{Family::folding, When::always, "inductor.optimize_scatter_upon_const_tensor", "false"},
    AblationRow{Family::folding, When::always, "inductor.pattern_matcher", "false"},
    AblationRow{Family::reductions, When::always, "inductor.online_softmax", "false", 8},
    AblationRow{Family::reductions, When::always, "inductor.split_reductions", "false"},
    AblationRow{Family::reductions, When::gpu, "inductor.triton.mix_order_reduction", "false", 10},
    AblationRow{Family::reductions, When::gpu, "inductor.triton.persistent_reductions", "false"},
    AblationRow{Family::reductions, When::always, "inductor.unroll_reductions_threshold", "1"},
    AblationRow{Family::memory, When::backward, "functorch.donated_buffer", "false"},
    AblationRow{Family::memory, When::always, "inductor.reorder_for_peak_memory", "false"},
    AblationRow{Family::memory, When::always, "inductor.inplace_buffers", "false"},
    AblationRow{Family::memory, When::always, "inductor.allow_buffer_reuse", "false"},
    AblationRow{Family::layout, When::gpu, "inductor.shape_padding", "false"},
    AblationRow{Family::layout, When::always, "inductor.comprehensive_padding", "false"},
    AblationRow{Family::layout, When::always, "inductor.layout_optimization", "false"},
    AblationRow{Family::fusion, When::always, "inductor.loop_index_inversion_in_fusion", "false", 10},
    AblationRow{Family::fusion, When::always, "inductor.loop_ordering_after_fusion", "false", 9},
    AblationRow{Family::fusion, When::gpu, "inductor.prologue_fusion", "false", 7},
    AblationRow{Family::fusion, When::always, "inductor.epilogue_fusion", "false"},
    AblationRow{Family::fusion, When::always, "inductor.max_fusion_size", "1"},
    // A small program has nothing but a tail, so switching off the vectorised tail would hide that vector code is
    // wrong.
    AblationRow{Family::loops, When::cpp, "inductor.cpp.simdlen", "1"},
    AblationRow{Family::loops, When::cpp, "inductor.cpp.enable_loop_tail_vec", "false"},
    AblationRow{Family::loops, When::cpp, "inductor.cpp.enable_tiling_heuristics", "false"},
    AblationRow{Family::threads, When::threads, "inductor.cpp.threads", "1"},
};

bool matters(When when, const AttributionFacts& facts) {
  switch (when) {
    case When::always:
      return true;
    case When::cpp:
      return row(facts.device).kernels == "cpp";
    case When::gpu:
      return is_gpu(facts.device);
    case When::dynamic:
      return facts.dynamic || row(facts.compiled).dynamic;
    case When::backward:
      return facts.backward;
    case When::threads:
      return facts.threads && row(facts.device).threads;
  }
  return false;
}

/// Each setting of the mode, switched off by a neutraliser of its own.
NeutraliserSet mode_family(const AttributionFacts& facts) {
  const ModeRow& mode = row(facts.compiled);
  const auto settings = parsed_object(mode.settings), off = parsed_object(mode.off);
  NeutraliserSet family;
  for (const auto& [name, value] : settings.items()) {
    if (row(facts.device).kernels != "triton" && name.starts_with("inductor.triton.")) continue;
    if (facts.stage != Stage::inductor && name.starts_with("inductor.")) continue;
    if (facts.stage == Stage::dynamo_eager && name.starts_with("functorch.")) continue;
    family.push_back({NeutraliserKind::config, name,
                      off.contains(name) ? compact(off[name]) : compact(nlohmann::json(!value.get<bool>()))});
  }
  return family;
}

/// Before AOTAutograd there is no graph of a backward pass.
bool is_partitioned(Stage stage) { return stage != Stage::dynamo_eager; }

/// Stages after the first one that shows the finding are not involved; those before it seldom are.
bool belongs(Family family, Stage stage) {
  if (family == Family::dynamic) return true;
  if (family == Family::capture) return stage == Stage::dynamo_eager;
  if (family == Family::autograd) return stage == Stage::aot_eager || stage == Stage::aot_eager_decomp_partition;
  if (family == Family::partition) return is_partitioned(stage);
  return stage == Stage::inductor;
}

bool is_usual(const std::string& name) {
  static constexpr std::array<std::string_view, 22> kUsual{
      "aten.add.",    "aten.sub.",     "aten.mul.",   "aten.div.",     "aten.neg.",    "aten.view.",
      "aten.permute", "aten.expand.",  "aten.clone.", "aten.full.",    "aten.select.", "aten.slice.",
      "aten.alias.",  "aten.reshape.", "aten.copy",   "aten.squeeze.", "aten.detach.", "aten.unsqueeze.",
      "aten.t.",      "aten.arange",   "aten.where.", "prims."};
  return std::ranges::any_of(kUsual, [&](auto usual) { return name.starts_with(usual); });
}

}  // namespace

std::vector<NeutraliserSet> setting_families(const AttributionFacts& facts) {
  std::vector<NeutraliserSet> families(kFamilies);
  for (const AblationRow& row : kAblations) {
    const bool there = facts.torch.empty() || is_at_least(facts.torch, 2, row.minor);
    if (there && matters(row.when, facts) && belongs(row.family, facts.stage))
      families[static_cast<std::size_t>(row.family)].push_back({NeutraliserKind::config, row.name, row.value});
  }
  families.insert(families.begin(), mode_family(facts));
  std::erase_if(families, [](const auto& family) { return family.empty(); });
  if (facts.backward && is_partitioned(facts.stage)) {
    for (const std::string_view name : {kWrittenInputs, kNothingRecomputed})
      families.push_back({{NeutraliserKind::partition, std::string(name)}});
  }
  if (facts.several_calls && facts.stage == Stage::dynamo_eager)
    families.push_back({{NeutraliserKind::guards, std::string(kEveryCall)}});
  if (facts.stage == Stage::inductor) {
    // One by one: leaving out a group may well fail on its own.
    for (const char* const group : {"pre_grad", "post_grad", "joint_graph"})
      families.push_back({{NeutraliserKind::pass_group, group}});
  }
  return families;
}

NeutraliserSet operator_family(NeutraliserKind kind, const std::vector<std::string>& operators) {
  NeutraliserSet family;
  for (const std::string& name : operators) family.push_back({kind, name});
  std::stable_partition(family.begin(), family.end(), [](const auto& one) { return !is_usual(one.name); });
  return family;
}

}  // namespace parityd::oracle
