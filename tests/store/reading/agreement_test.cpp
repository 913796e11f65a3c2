// What a model supposed beside what attribution blames: where they agree, where not, where nothing can be said.
#include "store/reading/agreement.h"

#include "store/report/draft.h"
#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;
using store::Agreement;

namespace {

store::SourceUnitRow a_unit(const std::string& file, const std::string& name, const std::string& area,
                            std::vector<std::string> operators = {}) {
  return {.file = file, .name = name, .area = area, .first_line = 10, .operators = std::move(operators), .lines = 5};
}

const store::SourceUnitRow kAmax = a_unit("_inductor/lowering.py", "make_amax", "lowerings", {"aten.amax"});

Agreement by(const store::SourceUnitRow& unit, const std::string& neutraliser,
             oracle::Stage stage = oracle::Stage::inductor) {
  return store::agreement(unit, {.stage = stage, .neutralisers = oracle::neutralisers_from_line(neutraliser).value()});
}

Agreement raised_in(const store::SourceUnitRow& unit, const std::string& frame, const std::string& file,
                    const std::string& neutraliser = "") {
  return store::agreement(unit, {.neutralisers = oracle::neutralisers_from_line(neutraliser).value(),
                                 .compiler_frame = frame,
                                 .traceback = "  File \".../site-packages/torch/" + file + "\", line 7, in f\n"});
}

}  // namespace

TEST_CASE("the place named at the start of a hypothesis is found") {
  for (const char* const text :
       {"_inductor/lowering.py:make_amax:12: NaN is lost", "torch/_inductor/lowering.py:make_amax:12: NaN",
        "`_inductor/lowering.py`:`make_amax`:`12`: NaN", "**_inductor/lowering.py:make_amax():12** NaN",
        "_inductor/lowering.py:make_amax:12-14: NaN", "_inductor/lowering.py : make_amax : line 12 : NaN"}) {
    CAPTURE(text);
    const auto place = store::place_named(text);
    REQUIRE(place);
    CHECK(place->file == "_inductor/lowering.py");
    CHECK(place->function == "make_amax");
    CHECK(place->line == 12);
  }
  for (const char* const text :
       {"", "NaN is lost in lowering.py", "lowering.py:make_amax: NaN", "lowering:amax:12: NaN",
        "_inductor/lowering.py:make_amax:12345678901234567890: NaN"}) {
    CAPTURE(text);
    CHECK_FALSE(store::place_named(text));
  }
}

TEST_CASE("a place is found by its line unless another unit is named") {
  auto amin = a_unit("_inductor/lowering.py", "Lowering.amin", "lowerings");
  amin.first_line = 15;
  const std::vector<store::SourceUnitRow> units{kAmax, amin};
  const auto name_at = [&](const std::string& function, int line) {
    const auto* const unit = store::unit_at({.file = "f", .function = function, .line = line}, units);
    return unit == nullptr ? "" : unit->name;
  };
  CHECK(name_at("make_amax", 14) == "make_amax");
  CHECK(name_at("amin", 15) == "Lowering.amin");
  CHECK(name_at("inner", 11) == "make_amax");
  CHECK(name_at("make_amax", 15).empty());
  CHECK(name_at("make_amax", 9).empty());
  CHECK(name_at("make_amax", 20).empty());
}

TEST_CASE("an operator agrees with what is registered for it or named after it") {
  CHECK(by(kAmax, "lowering aten.amax.default") == Agreement::agrees);
  CHECK(by(kAmax, "lowering aten.amin.default") == Agreement::disagrees);
  CHECK(by(kAmax, "lowering aten.amin.default; lowering aten.amax.default") == Agreement::agrees);
  CHECK(by(kAmax, "") == Agreement::unknown);
  const auto floor = a_unit("_inductor/codegen/cpp.py", "CppVecOverrides.floor", "code generation");
  CHECK(by(floor, "lowering aten.floor.default") == Agreement::agrees);
  CHECK(by(floor, "lowering aten.ceil.default") == Agreement::unknown);
  const auto huber =
      a_unit("_refs/nn/functional/__init__.py", "huber_loss", "refs", {"aten.huber_loss", "aten.huber_loss_"});
  CHECK(by(huber, "decomposition aten.huber_loss.default", oracle::Stage::aot_eager_decomp_partition) ==
        Agreement::agrees);
}

TEST_CASE("code that runs only after the first stage that differs cannot be the cause") {
  CHECK(by(kAmax, "lowering aten.amax.default", oracle::Stage::aot_eager) == Agreement::disagrees);
  CHECK(by(kAmax, "", oracle::Stage::dynamo_eager) == Agreement::disagrees);
  CHECK(by(a_unit("_decomp/decompositions.py", "f", "decompositions"), "", oracle::Stage::aot_eager) ==
        Agreement::unknown);
}

TEST_CASE("passes, settings and the partitioner are compared with hypotheses") {
  const auto post = a_unit("_inductor/fx_passes/post_grad.py", "remove_noop_ops", "graph passes");
  CHECK(by(post, "pass_group post_grad") == Agreement::agrees);
  CHECK(by(post, "pass_group joint_graph") == Agreement::disagrees);
  CHECK(by(post, "lowering aten.amax.default") == Agreement::unknown);
  CHECK(by(a_unit("_inductor/pattern_matcher.py", "f", "graph passes"), "pass_group post_grad") == Agreement::unknown);
  CHECK(by(kAmax, "pass_group post_grad") == Agreement::disagrees);
  auto tiling = a_unit("_inductor/codegen/cpp.py", "TilingSelect.select", "code generation");
  CHECK(by(tiling, "config inductor.cpp.simdlen=1") == Agreement::unknown);
  tiling.text = "    if config.cpp.simdlen != 1:\n";
  CHECK(by(tiling, "config inductor.cpp.simdlen=1") == Agreement::agrees);
  CHECK(by(tiling, "config inductor.cpp.simd=1") == Agreement::unknown);
  CHECK(by(a_unit("_functorch/partitioners.py", "f", "partitioner"), "partition written_inputs") == Agreement::agrees);
}

TEST_CASE("an error agrees with the function that raised it, or with its file if nothing else is known") {
  const std::string file = "_inductor/lowering.py";
  CHECK(raised_in(kAmax, "lowering.py:make_amax", file) == Agreement::agrees);
  CHECK(raised_in(kAmax, "lowering.py:make_amax", file, "lowering aten.amin.default") == Agreement::agrees);
  CHECK(raised_in(kAmax, "lowering.py:inner", file) == Agreement::agrees);
  CHECK(raised_in(kAmax, "lowering.py:inner", file, "lowering aten.amin.default") == Agreement::disagrees);
  CHECK(raised_in(kAmax, "lowering.py:make_amax", "other/lowering.py") == Agreement::unknown);
  CHECK(raised_in(kAmax, "ir.py:make_amax", file) == Agreement::unknown);
}

TEST_CASE("a finding's hypothesis appears in its draft only if attribution agrees") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto torch = store.sources.torch_id("2.13.0+cpu", 1'000);
  auto unit = kAmax;
  unit.text = "@register_lowering(aten.amax)\ndef make_amax(x):\n    return x\n";
  store.sources.put_file(torch, unit.file, {unit});
  const auto reply = store.replies.reserve(
      {.provider = "p", .model = "m", .strategy = "source", .purpose = store::ReplyPurpose::generate});
  store.readings.add({.reply = reply,
                      .kind = "chapter",
                      .chapter = "_inductor/lowering.py: make_amax",
                      .torch = "2.13.0+cpu",
                      .units = {{unit.file, unit.name, "1"}}});
  const auto program = added(store, finished(a_program("a"), oracle::VerdictKind::inconsistent));
  store.hypotheses.put(reply, 1, "lowering.py:make_amax:11: loses @everyone's NaN", program.id);
  const auto finding = store.findings.find(store.findings.add(a_finding(program.id, "one"))).value();
  const auto body = [&] {
    return store::render_draft(store::draft_facts(store, finding, 0), PARITYD_SOURCE_DIR "/store/draft.mustache", 0);
  };
  const auto none = body();
  CHECK(store::suspicion_of(store, finding)->agreement == Agreement::unknown);
  CHECK(none.body.find("Suspected cause") == std::string::npos);

  store.reductions.set_attribution({.program = program.id, .neutraliser = "lowering aten.amin.default", .runs = 3});
  CHECK(store::suspicion_of(store, finding)->agreement == Agreement::disagrees);
  CHECK(body().body.find("Suspected cause") == std::string::npos);

  store.reductions.set_attribution({.program = program.id, .neutraliser = "lowering aten.amax.default", .runs = 3});
  const auto suspicion = store::suspicion_of(store, finding);
  CHECK(suspicion->strategy == "source");
  const auto draft = body();
  CHECK(draft.body.find(
            "\n**Suspected cause (suggested by a language model, not verified)**: `torch/_inductor/lowering.py`, "
            "`make_amax`, line 11, of torch `2.13.0+cpu`.\n") != std::string::npos);
  CHECK(draft.body.find("everyone") == std::string::npos);
  CHECK(draft.body == body().body);
  CHECK(store.hypotheses.findings() == std::vector<store::Id>{finding.id});
  const auto counts = store::agreement_counts(store);
  REQUIRE(counts.size() == 1);
  CHECK(counts[0].strategy == "source");
  CHECK(counts[0].agrees == 1);
  CHECK(counts[0].disagrees + counts[0].unknown == 0);
}
