#include "oracle/finding/attribute.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "oracle/finding/ablations.h"
#include "tests/catch.h"

using namespace parityd::oracle;

namespace {

using Set = std::vector<Neutraliser>;
using World = std::function<Answer(const Set&)>;

Neutraliser lowering(const std::string& name) { return {NeutraliserKind::lowering, name}; }
Neutraliser decomposition(const std::string& name) { return {NeutraliserKind::decomposition, name}; }
Neutraliser config(const std::string& name, const std::string& value) { return {NeutraliserKind::config, name, value}; }

bool holds(const Set& set, const Neutraliser& one) { return std::ranges::find(set, one) != set.end(); }

Answer vanishes_if(bool vanishes) { return vanishes ? Answer::vanishes : Answer::stays; }

AttributionFacts facts_with(int operators) {
  AttributionFacts facts;
  facts.torch = "2.13.0+cpu";
  for (int i = 0; i < operators; ++i) facts.lowered.push_back("aten.op" + std::to_string(i) + ".default");
  return facts;
}

struct Ended {
  Attributed result;
  int runs = 0;
  std::size_t most_at_once = 0;
};

/// Answers every wave as a whole, the last of it first, as parallel workers may.
Ended search(const AttributionFacts& facts, const World& world, int most_runs = Attribution::kMostRuns,
             const std::vector<std::string>& unknown = {}) {
  Attribution attribution(facts, most_runs);
  Ended ended;
  while (!attribution.done()) {
    auto wave = attribution.next();
    REQUIRE(!wave.empty());
    ended.most_at_once = std::max(ended.most_at_once, wave.size());
    ended.runs += static_cast<int>(wave.size());
    std::ranges::reverse(wave);
    for (const auto& ablation : wave) {
      Set known;
      std::vector<std::string> untried;
      for (const auto& one : ablation.neutralisers) {
        const bool is_known = std::ranges::find(unknown, one.name) == unknown.end();
        if (is_known) known.push_back(one);
        if (!is_known) untried.push_back(one.name);
      }
      const bool nothing_left = known.empty() && !ablation.neutralisers.empty();
      attribution.on_answer(ablation.number, nothing_left ? Answer::not_tried : world(known), untried);
    }
  }
  CHECK(ended.runs <= most_runs);
  ended.result = attribution.result();
  CHECK(ended.result.tried.size() <= static_cast<std::size_t>(ended.runs));
  return ended;
}

}  // namespace

TEST_CASE("attribution: one lowering of many is found in few runs") {
  for (const int at : {0, 7, 14, 15}) {
    CAPTURE(at);
    const auto facts = facts_with(16);
    const auto guilty = lowering(facts.lowered.at(static_cast<std::size_t>(at)));
    const auto ended = search(facts, [&](const Set& set) { return vanishes_if(holds(set, guilty)); });
    CHECK(ended.result.neutraliser == Set{guilty});
    CHECK(ended.result.why.find("only this lowering") != std::string::npos);
    CHECK(ended.most_at_once >= 8);
    REQUIRE(ended.result.workaround.has_value());
    CHECK(ended.result.workaround->python.find("torch.compiler.disable") != std::string::npos);
    CHECK(ended.result.remedy == Set{guilty});
  }
}

TEST_CASE("attribution: the operator is the cause and the setting is the workaround") {
  const auto facts = facts_with(9);
  const auto guilty = lowering(facts.lowered[3]);
  const auto scalar = config("inductor.cpp.simdlen", "1");
  const auto ended =
      search(facts, [&](const Set& set) { return vanishes_if(holds(set, guilty) || holds(set, scalar)); });
  CHECK(ended.result.neutraliser == Set{guilty});
  CHECK(ended.result.remedy == Set{scalar});
  REQUIRE(ended.result.workaround.has_value());
  CHECK(ended.result.workaround->python == "torch._inductor.config.cpp.simdlen = 1");
  CHECK(ended.result.workaround->caveat.empty());
}

TEST_CASE("attribution: a donated buffer is the cause, whatever else moves the write") {
  auto facts = facts_with(9);
  facts.backward = true;
  const auto donated = config("functorch.donated_buffer", "false");
  const auto beside = lowering(facts.lowered[3]);
  const auto ended =
      search(facts, [&](const Set& set) { return vanishes_if(holds(set, donated) || holds(set, beside)); });
  CHECK(ended.result.neutraliser == Set{donated});
  CHECK(ended.result.why == "backward writes into a saved buffer that it reads again");
  REQUIRE(ended.result.workaround.has_value());
  CHECK(ended.result.workaround->python == "torch._functorch.config.donated_buffer = False");
}

TEST_CASE("attribution: a group of settings is narrowed to the one that matters") {
  for (const auto& guilty :
       {config("inductor.inplace_buffers", "false"), config("inductor.allow_buffer_reuse", "false"),
        config("inductor.pattern_matcher", "false"), config("inductor.cpp.enable_loop_tail_vec", "false"),
        Neutraliser{NeutraliserKind::pass_group, "post_grad"}}) {
    CAPTURE(guilty.name);
    const auto ended = search(facts_with(6), [&](const Set& set) { return vanishes_if(holds(set, guilty)); });
    CHECK(ended.result.neutraliser == Set{guilty});
    CHECK(ended.result.remedy == Set{guilty});
  }
}

TEST_CASE("attribution: a difference that any of several lowerings hides is a fault between them") {
  const auto facts = facts_with(8);
  const auto apart = config("inductor.max_fusion_size", "1");
  const World world = [&](const Set& set) {
    return vanishes_if(holds(set, lowering(facts.lowered[1])) || holds(set, lowering(facts.lowered[6])) ||
                       holds(set, apart));
  };
  CHECK(search(facts, world).result.neutraliser == Set{apart});
  const World without_setting = [&](const Set& set) {
    return vanishes_if(holds(set, lowering(facts.lowered[1])) || holds(set, lowering(facts.lowered[6])));
  };
  const auto ended = search(facts, without_setting);
  CHECK(ended.result.neutraliser == Set{lowering(facts.lowered[1])});
  CHECK(ended.result.why.find("several lowerings") != std::string::npos);
}

TEST_CASE("attribution: two operators that must be replaced together are found") {
  const auto facts = facts_with(8);
  for (const auto& [one, other] : {std::pair(0, 1), std::pair(1, 6), std::pair(3, 4)}) {
    CAPTURE(one, other);
    const auto first = lowering(facts.lowered.at(static_cast<std::size_t>(one)));
    const auto second = lowering(facts.lowered.at(static_cast<std::size_t>(other)));
    const auto ended =
        search(facts, [&](const Set& set) { return vanishes_if(holds(set, first) && holds(set, second)); });
    CHECK(ended.result.neutraliser == Set{first, second});
    CHECK(ended.result.why.find("together") != std::string::npos);
  }
}

TEST_CASE("attribution: a difference that nothing explains has no cause") {
  auto facts = facts_with(12);
  facts.decomposed = {"aten.silu.default"};
  const auto ended = search(facts, [](const Set&) { return Answer::stays; });
  CHECK(ended.result.neutraliser.empty());
  CHECK(!ended.result.workaround.has_value());
  CHECK(ended.result.why == "nothing that was tried makes it vanish");
  const auto tried_decomposition = std::ranges::any_of(ended.result.tried, [](const auto& tried) {
    return holds(tried.neutralisers, decomposition("aten.silu.default"));
  });
  CHECK(tried_decomposition);
}

TEST_CASE("attribution: a different failure is not an answer") {
  const auto facts = facts_with(8);
  const auto guilty = lowering(facts.lowered[2]);
  const World breaks = [&](const Set& set) {
    if (set.size() == 1 && set[0].kind == NeutraliserKind::pass_group) return Answer::differs_otherwise;
    if (holds(set, lowering(facts.lowered[5]))) return Answer::differs_otherwise;
    return vanishes_if(holds(set, guilty));
  };
  INFO("what cannot be replaced does not hide the rest");
  const auto found = search(facts, breaks).result;
  CHECK(found.neutraliser == Set{guilty});
  CHECK(found.why.find("other failures prevented") != std::string::npos);
  const World always = [&](const Set& set) { return set.empty() ? Answer::stays : Answer::differs_otherwise; };
  CHECK(search(facts, always).result.neutraliser.empty());
  const World half = [&](const Set& set) {
    if (set.size() == 4 && holds(set, lowering(facts.lowered[5]))) return Answer::differs_otherwise;
    return vanishes_if(holds(set, guilty));
  };
  CHECK(search(facts, half).result.neutraliser == Set{guilty});
}

TEST_CASE("attribution: an answer that changes is not relied on") {
  const auto facts = facts_with(4);
  const auto guilty = lowering(facts.lowered[0]);
  int controls = 0;
  int guilty_runs = 0;
  SECTION("the neutraliser") {
    const auto ended = search(facts, [&](const Set& set) {
      return vanishes_if(holds(set, guilty) && (set.size() > 1 || ++guilty_runs == 1));
    });
    CHECK(ended.result.neutraliser.empty());
    CHECK(ended.result.why.find("does not vanish with lowering of aten.op0") != std::string::npos);
    CHECK(ended.result.tried.size() > 5);
  }
  SECTION("the program itself") {
    const auto ended = search(
        facts, [&](const Set& set) { return vanishes_if(holds(set, guilty) || (set.empty() && ++controls > 1)); });
    CHECK(ended.result.neutraliser.empty());
    CHECK(ended.result.why.find("does not show in the unchanged program") != std::string::npos);
  }
  SECTION("it never shows") {
    const auto ended = search(facts, [&](const Set&) { return Answer::vanishes; });
    CHECK(ended.runs == 1);
    CHECK(ended.result.neutraliser.empty());
    CHECK(ended.result.why.find("does not reproduce it in a warm worker") != std::string::npos);
  }
}

TEST_CASE("attribution: settings that torch lacks are not part of the answer") {
  const auto guilty = config("inductor.allow_buffer_reuse", "false");
  const World world = [&](const Set& set) { return vanishes_if(holds(set, guilty)); };
  const auto ended = search(facts_with(3), world, 25, {"inductor.inplace_buffers", "inductor.reorder_for_peak_memory"});
  CHECK(ended.result.neutraliser == Set{guilty});
  CHECK(search(facts_with(3), world, 25, {"inductor.allow_buffer_reuse"}).result.neutraliser.empty());
}

TEST_CASE("attribution: a decomposition is tried first if the stage suggests it") {
  AttributionFacts facts;
  facts.torch = "2.13.0";
  facts.stage = GENERATE(Stage::aot_eager, Stage::aot_eager_decomp_partition);
  facts.lowered = {"aten.mul.Tensor", "aten.sigmoid.default"};
  facts.decomposed = {"aten.addcmul.default", "aten.gelu.default", "aten.silu.default"};
  const auto guilty = decomposition("aten.gelu.default");
  const auto ended = search(facts, [&](const Set& set) { return vanishes_if(holds(set, guilty)); });
  CHECK(ended.result.neutraliser == Set{guilty});
  for (const auto& tried : ended.result.tried) {
    for (const auto& one : tried.neutralisers) CHECK(one.kind != NeutraliserKind::lowering);
  }
}

TEST_CASE("attribution: the pass that makes the graphs wrong is named") {
  auto facts = facts_with(4);
  facts.backward = true;
  const Neutraliser forward{NeutraliserKind::graph, "forward"}, backward{NeutraliserKind::graph, "backward"};
  const auto guilty = lowering(facts.lowered[1]);
  const auto ended =
      search(facts, [&](const Set& set) { return vanishes_if(holds(set, guilty) || holds(set, backward)); });
  CHECK(ended.result.neutraliser == Set{guilty});
  CHECK(ended.result.why.find("it is in the backward pass") != std::string::npos);
  const auto alone = search(facts, [&](const Set& set) { return vanishes_if(holds(set, forward)); });
  CHECK(alone.result.neutraliser == Set{forward});
  CHECK(!alone.result.workaround);
  const auto either = search(facts, [&](const Set& set) {
    return vanishes_if(holds(set, guilty) || holds(set, forward) || holds(set, backward));
  });
  CHECK(either.result.neutraliser == Set{guilty});
  CHECK(either.result.why.find("pass") == std::string::npos);
  const World breaks = [&](const Set& set) {
    return holds(set, forward) ? Answer::differs_otherwise : vanishes_if(holds(set, guilty) || holds(set, backward));
  };
  CHECK(search(facts, breaks).result.why.find("pass") == std::string::npos);
  CHECK(search(facts, breaks, 20).result.neutraliser == Set{guilty});
  facts.backward = false;
  CHECK(search(facts, [&](const Set& set) { return vanishes_if(holds(set, forward)); }).result.neutraliser.empty());
}

TEST_CASE("attribution: an input written before backward reads it is named before an operator that hides it") {
  auto facts = facts_with(4);
  facts.backward = true;
  facts.decomposed = {"aten.lerp.Scalar", "aten.native_batch_norm_backward.default"};
  const Neutraliser copies{NeutraliserKind::partition, std::string(kWrittenInputs)};
  const auto guilty = decomposition(facts.decomposed[1]);
  const auto paid = config("functorch.treat_parameters_as_free_to_save", "false");
  const World world = [&](const Set& set) {
    return vanishes_if(holds(set, copies) || holds(set, guilty) || holds(set, paid));
  };
  const auto ended = search(facts, world);
  CHECK(ended.result.neutraliser == Set{copies});
  CHECK(ended.result.remedy == Set{paid});
  const World without = [&](const Set& set) { return vanishes_if(holds(set, copies)); };
  CHECK(!search(facts, without).result.workaround);
  for (const Stage stage : {Stage::aot_eager, Stage::aot_eager_decomp_partition}) {
    facts.stage = stage;
    CHECK(search(facts, world).result.neutraliser == Set{copies});
  }
  facts.backward = false;
  CHECK(search(facts, world).result.neutraliser == Set{guilty});
}

TEST_CASE("attribution: the number of runs is limited and the best answer so far is kept") {
  const auto facts = facts_with(300);
  const World world = [&](const Set& set) {
    return vanishes_if(holds(set, lowering(facts.lowered[10])) && holds(set, lowering(facts.lowered[280])));
  };
  const auto ended = search(facts, world);
  CHECK(ended.result.neutraliser.size() < 300);
  CHECK(holds(ended.result.neutraliser, lowering(facts.lowered[10])));
  CHECK(holds(ended.result.neutraliser, lowering(facts.lowered[280])));
  CHECK(ended.result.why.find("limit of runs") != std::string::npos);
  CHECK(search(facts, world, 6).result.why.find("limit of runs") != std::string::npos);
}

TEST_CASE("ablations: those that can matter are chosen") {
  const auto asks = [](const AttributionFacts& facts, const std::string& name) {
    const auto families = setting_families(facts);
    return std::ranges::any_of(families, [&](const auto& family) {
      return std::ranges::any_of(family, [&](const auto& one) { return one.name == name; });
    });
  };
  AttributionFacts cpu = facts_with(0);
  CHECK(asks(cpu, "inductor.cpp.simdlen"));
  CHECK(asks(cpu, "inductor.loop_index_inversion_in_fusion"));
  for (const char* const other : {"inductor.triton.persistent_reductions", "compile.dynamic", "inductor.max_autotune",
                                  "inductor.freezing", "functorch.cse", "dynamo.trace_numpy", "inductor.cpp.threads"})
    CHECK(!asks(cpu, other));
  AttributionFacts threads = cpu;
  threads.threads = true;
  CHECK(asks(threads, "inductor.cpp.threads"));
  threads.device = DeviceKind::cuda;
  CHECK(!asks(threads, "inductor.cpp.threads"));
  AttributionFacts other = cpu;
  other.device = DeviceKind::cuda;
  other.dynamic = true;
  other.compiled = Mode::inductor_max_autotune;
  for (const char* const name : {"inductor.triton.persistent_reductions", "compile.dynamic", "inductor.max_autotune",
                                 "inductor.triton.cudagraphs", "inductor.eager_numerics.disable_ftz"})
    CHECK(asks(other, name));
  CHECK(!asks(other, "inductor.cpp.simdlen"));
  other.torch = "2.6.0";
  CHECK(!asks(other, "inductor.eager_numerics.disable_ftz"));
  cpu.stage = Stage::dynamo_eager;
  CHECK(asks(cpu, "dynamo.trace_numpy"));
  CHECK(!asks(cpu, "inductor.cpp.simdlen"));
  cpu.stage = Stage::aot_eager;
  CHECK(asks(cpu, "functorch.cse"));
  cpu.backward = true;
  CHECK(!asks(cpu, "functorch.donated_buffer"));  // only Inductor writes into them
  cpu.stage = Stage::inductor;
  CHECK(asks(cpu, "functorch.donated_buffer"));
  cpu.backward = false;
  CHECK(!asks(cpu, "functorch.donated_buffer"));
}

TEST_CASE("ablations: common operators come last") {
  CHECK(operator_family(NeutraliserKind::lowering, {"aten.add.Tensor", "aten.amin.default", "aten.mul.Tensor"}) ==
        Set{lowering("aten.amin.default"), lowering("aten.add.Tensor"), lowering("aten.mul.Tensor")});
}
