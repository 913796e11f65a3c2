#include "oracle/rules/neutraliser.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/catch.h"

using namespace parityd::oracle;

namespace {

const std::vector<Neutraliser> kAll{{NeutraliserKind::config, "inductor.max_fusion_size", "1"},
                                    {NeutraliserKind::config, "compile.dynamic", "false"},
                                    {NeutraliserKind::config, "functorch.cse", "false"},
                                    {NeutraliserKind::config, "dynamo.specialize_float", "true"},
                                    {NeutraliserKind::pass_group, "post_grad"},
                                    {NeutraliserKind::lowering, "aten.amin.default"},
                                    {NeutraliserKind::decomposition, "aten.addcmul.default"},
                                    {NeutraliserKind::partition, "written_inputs"},
                                    {NeutraliserKind::partition, "nothing_recomputed"},
                                    {NeutraliserKind::graph, "backward"},
                                    {NeutraliserKind::guards, "every_call"}};

}  // namespace

TEST_CASE("neutraliser: the description is readable") {
  const std::vector<std::string> expected{"torch._inductor.config.max_fusion_size = 1",
                                          "torch.compile(model, dynamic=False)",
                                          "torch._functorch.config.cse = False",
                                          "torch._dynamo.config.specialize_float = True",
                                          "post-grad passes disabled",
                                          "lowering of aten.amin replaced by the eager kernel",
                                          "decomposition of aten.addcmul replaced by the eager kernel",
                                          "copies of inputs that forward writes in place saved for backward",
                                          "recomputation in backward disabled",
                                          "backward graphs run by eager kernels",
                                          "recompilation for each call"};
  for (std::size_t i = 0; i < kAll.size(); ++i) CHECK(text(kAll[i]) == expected[i]);
  CHECK(text({kAll[0], kAll[4]}) == "torch._inductor.config.max_fusion_size = 1 and post-grad passes disabled");
  CHECK(text(kAll).ends_with("torch._dynamo.config.specialize_float = True and 7 more"));
  CHECK(text(std::vector<Neutraliser>{}) == "no change");
}

TEST_CASE("neutraliser: its line can be parsed back") {
  for (const auto& one : kAll) {
    CAPTURE(line({one}));
    CHECK(neutralisers_from_line(line({one})) == std::vector<Neutraliser>{one});
  }
  CHECK(neutralisers_from_line(line(kAll)) == kAll);
  CHECK(line({kAll[0], kAll[5]}) == "config inductor.max_fusion_size=1; lowering aten.amin.default");
}

TEST_CASE("neutraliser: an invalid line is refused") {
  for (const char* const wrong : {"magic aten.amin", "lowering", "lowering ", "config inductor.a", "config inductor.=1",
                                  "config os.environ=1", "config inductor.a=import os", "pass_group all",
                                  "partition all", "graph sideways", "lowering aten.a; ; lowering aten.b"}) {
    CAPTURE(wrong);
    CHECK(!neutralisers_from_line(wrong));
  }
}

TEST_CASE("neutraliser: the workaround is something a user can do") {
  const auto python = [](const Neutraliser& neutraliser, const char* torch) {
    const auto found = workaround(neutraliser, torch, "torch.amin(x).softmax(0).hardswish_().max(1).to(x).flip(0)");
    return found ? found->python : "";
  };
  CHECK(python(kAll[0], "2.13.0+cpu") == "torch._inductor.config.max_fusion_size = 1");
  CHECK(python(kAll[1], "2.6.0") == "torch.compile(model, dynamic=False)");
  CHECK(python(kAll[2], "2.6.0") == "torch._functorch.config.cse = False");
  CHECK(python(kAll[3], "2.6.0") == "torch._dynamo.config.specialize_float = True");
  CHECK(python(kAll[4], "2.13.0+cpu") == "torch._inductor.config.use_post_grad_passes = False");
  CHECK(python(kAll[4], "2.9.1").empty());
  CHECK(python(kAll[5], "2.13.0") == "call amin in a function decorated with @torch.compiler.disable");
  for (const auto& [name, called] : {std::pair{"aten._softmax.default", "softmax"},
                                     {"aten.hardswish_backward.default", "hardswish"},
                                     {"aten.max.dim", "max"},
                                     {"aten._to_copy.default", "to"},
                                     {"prims.rev.default", "flip"}}) {
    const Neutraliser blamed{NeutraliserKind::decomposition, name};
    CHECK(python(blamed, "2.13.0") ==
          std::string("call ") + called + " in a function decorated with @torch.compiler.disable");
  }
  CHECK(workaround(kAll[5], "2.13.0", "")->caveat.find("not tested") != std::string::npos);
  CHECK(workaround(kAll[0], "2.13.0", "")->caveat.empty());
  INFO("a program that never says it calls what becomes it");
  const Neutraliser put{NeutraliserKind::lowering, "aten.index_put.default"};
  CHECK(workaround(put, "2.13.0", "x.index_add(0, i, y)")->python ==
        "call the code that becomes index_put in a function decorated with @torch.compiler.disable");
  const Neutraliser iota{NeutraliserKind::lowering, "prims.iota.default"};
  CHECK(workaround(iota, "2.13.0", "torch.arange(3)")->python ==
        "call arange in a function decorated with @torch.compiler.disable");
}

TEST_CASE("neutraliser: versions are numbers") {
  CHECK(is_at_least("2.10.0", 2, 9));
  CHECK(is_at_least("2.10.0+cu130", 2, 10));
  CHECK(!is_at_least("2.9.1", 2, 10));
  CHECK(is_at_least("3.0", 2, 10));
  CHECK(!is_at_least("", 2, 6));
  CHECK(!is_at_least("dev", 2, 6));
}

TEST_CASE("neutraliser: it has the form of the protocol") {
  CHECK(nlohmann::json(kAll[0]) ==
        nlohmann::json({{"kind", "config"}, {"name", "inductor.max_fusion_size"}, {"value", 1}}));
  CHECK(nlohmann::json(kAll[5]) == nlohmann::json({{"kind", "lowering"}, {"name", "aten.amin.default"}}));
}
