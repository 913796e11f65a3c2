// What the recorder makes of confirmed programs: findings, occurrences, and what those blame.
#include "agent/daemon/findings/recorder.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include "tests/catch.h"
#include "tests/oracle/builders.h"
#include "tests/store/fixture.h"

using namespace parityd;
using oracle::Mode;

namespace {

/// Programs whose compiled run raises one error, confirmed in three of three rounds.
class Scene {
 public:
  Scene() : recorder_(store_, PARITYD_SOURCE_DIR "/store/draft.mustache", 0, {}) {
    environment_ = store_.environments.id_of({.torch = "2.13.0", .python = "3.11", .device = "cpu"});
    evidence_.outcomes[Mode::eager] = oracle::test::ran();
    evidence_.outcomes[Mode::inductor] = oracle::test::raised(oracle::Step::compile, "InductorError", "KeyError");
    evidence_.outcomes[Mode::inductor].error->compiler_frame = "scheduler.py:fuse";
  }

  /// Of a program whose error vanishes with `neutraliser`.
  agent::Recorder::Recorded confirm(const std::string& neutraliser) {
    return confirm(
        neutraliser,
        {oracle::VerdictKind::inconsistent, oracle::Kind::behaviour, "outcome.compiled_raises", "it raises", {}}, "[]");
  }

  agent::Recorder::Recorded confirm(const std::string& neutraliser, const oracle::Verdict& verdict,
                                    const std::string& tried) {
    const auto program = tests::added(store_, tests::a_program("p" + std::to_string(next_++)));
    for (int round = 1; round <= 3; ++round) {
      store_.examinations.add({.program = program.id,
                               .purpose = store::Examination::confirmation,
                               .round = round,
                               .environment = environment_,
                               .evidence = evidence_,
                               .verdict = verdict,
                               .at = 1});
    }
    store_.reductions.set_attribution({.program = program.id, .neutraliser = neutraliser, .why = "it alone", .at = 1});
    store_.reductions.set_extent({.program = program.id, .tried_json = tried, .at = 1});
    last_ = program.id;
    return recorder_.add_finding(program, {.confirmation_rounds = 3, .confirmation_hits = 3, .verdict = verdict}, 2);
  }

  /// Of a program, after confirmation rounds that showed these.
  struct Seen {
    std::optional<oracle::Kind> kind;
    bool overruled_hang = false;
  };
  Seen after_rounds(const std::vector<oracle::Kind>& kinds) {
    const auto program = tests::added(store_, tests::a_program("p" + std::to_string(next_++)));
    for (std::size_t round = 0; round < kinds.size(); ++round) {
      store_.examinations.add({.program = program.id,
                               .purpose = store::Examination::confirmation,
                               .round = static_cast<int>(round) + 1,
                               .environment = environment_,
                               .evidence = evidence_,
                               .verdict = {oracle::VerdictKind::inconsistent, kinds[round], "r", "e", {}},
                               .at = 1});
    }
    return {recorder_.told(program).whole.verdict.kind, recorder_.observed(program.id).overruled_hang()};
  }

  /// Findings whose neutralisers are tried on a suspect that raises this in a relu.
  std::vector<store::FindingRow> nearest(const std::string& inner_class) {
    const auto program = tests::added(store_, tests::a_program("p" + std::to_string(next_++)));
    evidence_.outcomes[Mode::inductor].error->inner_class = inner_class;
    store_.examinations.add({.program = program.id,
                             .purpose = store::Examination::controls,
                             .environment = environment_,
                             .evidence = evidence_,
                             .verdict = {oracle::VerdictKind::inconsistent, oracle::Kind::behaviour, "r", "e", {}},
                             .at = 1});
    return recorder_.same_cause().nearest(program.id, 3);
  }
  void captures(const std::string& name) { evidence_.outcomes[Mode::inductor].operators = {name}; }

  /// Of a program that was reduced to `text`, and raises this.
  agent::Recorder::Recorded confirm_reduced(const std::string& text, const std::string& message) {
    evidence_.outcomes[Mode::inductor] = oracle::test::raised(oracle::Step::compile, "RuntimeError", message);
    const oracle::Verdict verdict{
        oracle::VerdictKind::inconsistent, oracle::Kind::behaviour, "outcome.compiled_raises", "it raises", {}};
    const auto program = tests::added(store_, tests::a_program("p" + std::to_string(next_++)));
    using store::Examination;
    for (const auto& [purpose, round] : {std::pair{Examination::confirmation, 1},
                                         {Examination::final_confirmation, 1},
                                         {Examination::final_confirmation, 2}}) {
      store_.examinations.add({.program = program.id,
                               .purpose = purpose,
                               .round = round,
                               .environment = environment_,
                               .evidence = evidence_,
                               .verdict = verdict,
                               .at = 1});
    }
    store_.reductions.set({.program = program.id, .text = text, .options_json = "{}"});
    return recorder_.add_finding(program, {.confirmation_rounds = 1, .confirmation_hits = 1, .verdict = verdict}, 2);
  }

  /// Of a program whose numbers are wrong unless `lowering` is eager's; `tried`: its extent.
  agent::Recorder::Recorded confirm_numbers(const std::string& lowering, const std::string& tried) {
    return confirm_wrong("lowering " + lowering, {lowering}, oracle::Dtype::float32, tried);
  }

  /// Of a program whose numbers are wrong unless `neutraliser` holds.
  agent::Recorder::Recorded confirm_wrong(const std::string& neutraliser, const std::vector<std::string>& operators,
                                          oracle::Dtype dtype = oracle::Dtype::float32, const std::string& tried = "[]",
                                          oracle::Kind kind = oracle::Kind::numerical) {
    evidence_.outcomes[Mode::inductor] = oracle::test::ran();
    evidence_.outcomes[Mode::inductor].operators = operators;
    evidence_.measurements.clear();
    auto leaf = oracle::test::off_leaf("output", 1);
    leaf.dtype = dtype;
    oracle::test::measure(evidence_, Mode::eager, Mode::inductor, {leaf});
    const oracle::Verdict verdict{oracle::VerdictKind::inconsistent, kind, "numbers.double_run", "wrong", {"output"}};
    return confirm(neutraliser, verdict, tried);
  }

  /// Of a program in which compiled code returns its input.
  agent::Recorder::Recorded confirm_returned_input(const std::string& neutraliser, const std::string& operator_name) {
    evidence_.outcomes[Mode::inductor] = oracle::test::ran();
    evidence_.outcomes[Mode::inductor].operators = {operator_name};
    evidence_.measurements.clear();
    auto leaf = oracle::test::same_leaf("output");
    leaf.alias_differs = leaf.returned_input = true;
    oracle::test::measure(evidence_, Mode::eager, Mode::inductor, {leaf});
    const oracle::Verdict verdict = oracle::judge(evidence_);
    return confirm(neutraliser, verdict, "[]");
  }

  agent::Recorder::Recorded confirm_lost_write(const std::string& neutraliser, const std::string& operator_name) {
    return confirm_wrong(neutraliser, {operator_name}, oracle::Dtype::float32, "[]", oracle::Kind::mutation);
  }

  [[nodiscard]] const tests::Folder& folder() const { return folder_; }
  store::Store& store() { return store_; }
  agent::Recorder& recorder() { return recorder_; }
  [[nodiscard]] store::Id last_program() const { return last_; }

 private:
  tests::Folder folder_;
  store::Store store_{folder_.database(), store::Access::write};
  agent::Recorder recorder_;
  store::Id environment_ = 0;
  oracle::Evidence evidence_;
  store::Id last_ = 0;
  int next_ = 0;
};

std::vector<std::string> blamed(const store::Store& store, store::Id finding) {
  std::vector<std::string> all;
  for (const auto& row : store.groups.occurrences_of(finding)) all.push_back(row.blamed_pass);
  return all;
}

}  // namespace

TEST_CASE("a hang gives way to what a later round shows") {
  using oracle::Kind;
  Scene scene;
  const auto slow = scene.after_rounds({Kind::hang, Kind::gradient});
  CHECK(slow.kind == Kind::gradient);
  CHECK(slow.overruled_hang);
  CHECK_FALSE(scene.after_rounds({Kind::hang, Kind::gradient, Kind::gradient}).overruled_hang);
  CHECK(scene.after_rounds({Kind::hang, Kind::hang}).kind == Kind::hang);
  CHECK(scene.after_rounds({Kind::gradient, Kind::hang}).kind == Kind::gradient);
  CHECK_FALSE(scene.after_rounds({Kind::gradient, Kind::hang}).overruled_hang);
}

TEST_CASE(
    "errors with one text are one finding whichever operator they vanish without, more than two operators raise the "
    "alarm") {
  Scene scene;
  const auto first = scene.confirm("lowering aten.sort.default");
  CHECK(first.is_new);
  const auto second = scene.confirm("lowering aten.amax.default");
  CHECK_FALSE(second.is_new);
  CHECK(second.finding == first.finding);
  CHECK(blamed(scene.store(), first.finding) ==
        std::vector<std::string>{"lowering aten.sort.default", "lowering aten.amax.default"});
  CHECK(scene.store().findings.find(first.finding)->alarm.empty());
  CHECK(scene.confirm("lowering aten.amin.default").finding == first.finding);
  CHECK(scene.store().findings.find(first.finding)->alarm == "more than 2 blamed passes");
}

TEST_CASE("an error that a different setting removes is a different finding") {
  Scene scene;
  const auto first = scene.confirm("config inductor.max_fusion_size=1");
  CHECK(scene.confirm("pass_group post_grad").is_new);
  CHECK(blamed(scene.store(), first.finding) == std::vector<std::string>{"config inductor.max_fusion_size=1"});
}

TEST_CASE("an error of another class is not matched by its operator alone") {
  Scene scene;
  scene.captures("aten.relu.default");
  const auto finding = scene.confirm("lowering aten.relu.default").finding;
  REQUIRE(scene.nearest("KeyError").size() == 1);
  CHECK(scene.nearest("KeyError").front().id == finding);
  CHECK(scene.nearest("CppCompileError").empty());
}

TEST_CASE("an occurrence is attributed to the neutraliser of the finding it vanished with") {
  Scene scene;
  const auto finding = scene.confirm("").finding;
  CHECK(blamed(scene.store(), finding) == std::vector<std::string>{""});
  scene.recorder().same_cause().add_occurrence(scene.last_program(), "it vanishes", "pass_group post_grad", 3);
  CHECK(blamed(scene.store(), finding) == std::vector<std::string>{"pass_group post_grad"});
}

TEST_CASE("a program that fails with the operator of another finding in place of its own belongs to that finding") {
  Scene scene;
  const auto first = scene.confirm_numbers("aten.max.dim", "[]");
  const auto other = scene.confirm_numbers(
      "aten.amax.default",
      R"([{"aspect": "operators", "value": "amax", "shows": true}, {"aspect": "operators", "value": "max", "shows": true},
          {"aspect": "dtypes", "value": "sum", "shows": true}])");
  CHECK(other.finding == first.finding);
  CHECK(scene.store().groups.occurrences_of(first.finding).back().why ==
        "with max instead of its operator it fails too, like finding 1: numerical | inductor | max | float | cpu");
  CHECK(scene
            .confirm_numbers("aten.sum.default", R"([{"aspect": "operators", "value": "max", "shows": false},
          {"aspect": "operators", "value": "sum", "shows": null}])")
            .is_new);
}

TEST_CASE(
    "operators that fail in place of each other for one dtype are one finding, whatever their results are cast to") {
  Scene scene;
  const auto extent = [](const std::string& own, const std::string& other, const std::string& dtype) {
    return R"([{"aspect": "operators", "value": ")" + own + R"(", "shows": true},
               {"aspect": "operators", "value": ")" +
           other + R"(", "shows": true},
               {"aspect": "dtypes", "value": ")" +
           dtype + R"(", "shows": true},
               {"aspect": "dtypes", "value": "int64", "shows": false}])";
  };
  using oracle::Dtype;
  const auto confirm = [&](const std::string& name, Dtype dtype, const std::string& tried) {
    return scene.confirm_wrong("lowering aten." + name, {"aten." + name}, dtype, tried);
  };
  const auto max = confirm("max.dim", Dtype::int8, extent("max", "amax", "int8"));
  CHECK(confirm("amax.default", Dtype::float32, extent("amax", "max", "int8")).finding == max.finding);
  CHECK(scene.store().groups.occurrences_of(max.finding).back().why ==
        "with max instead of its operator it fails too, and so does finding 1 with amax instead of its operator");
  CHECK(confirm("argmax.default", Dtype::float32, extent("argmax", "max", "int8")).is_new);  // not by finding 1
  CHECK(confirm("amax.default", Dtype::bfloat16, extent("amax", "max", "bfloat16")).is_new);
  CHECK(confirm("min.default", Dtype::int8, extent("min", "amin", "int8")).is_new);
  CHECK(confirm("amin.default", Dtype::float32, extent("amin", "min", "uint8")).is_new);
}

TEST_CASE("a program confirmed together with a finding that vanishes with its neutraliser belongs to that finding") {
  Scene scene;
  const auto amax = scene.confirm_wrong("lowering aten.amax.default", {"aten.amax.default"}, oracle::Dtype::int8);
  CHECK(scene.confirm_wrong("lowering aten.amax.default", {"aten.amax.default", "aten.abs.default"}).finding ==
        amax.finding);
  CHECK(scene.store().groups.occurrences_of(amax.finding).back().why ==
        "confirmed alongside finding 1, it vanishes with its neutraliser: lowering aten.amax.default");
  const auto passes = scene.confirm_wrong("pass_group post_grad", {"aten.copy_.default", "aten.slice.Tensor"});
  CHECK(passes.is_new);
  CHECK(scene
            .confirm_wrong("pass_group post_grad",
                           {"aten.copy_.default", "aten.slice.Tensor", "prims.convert_element_type.default"})
            .finding == passes.finding);
  CHECK(
      scene.confirm_wrong("pass_group post_grad", {"aten.mm.default", "aten.slice.Tensor", "aten.exp.default"}).is_new);
  CHECK(scene.confirm_wrong("pass_group joint_graph", {"aten.copy_.default", "aten.slice.Tensor"}).is_new);
  CHECK(scene.confirm_wrong("", {"aten.copy_.default", "aten.amax.default"}).is_new);
}

TEST_CASE("wrong values of one operator are one finding, whether an output or an input shows them") {
  Scene scene;
  const auto output = scene.confirm_wrong("decomposition aten.dropout.default", {"aten.permute.default"});
  CHECK(scene.confirm_lost_write("decomposition aten.dropout.default", "aten.add.Tensor").finding == output.finding);
  const auto passes = scene.confirm_wrong("pass_group post_grad", {"aten.copy_.default"});
  CHECK(passes.is_new);
  const auto lost = scene.confirm_lost_write("pass_group post_grad", "aten.copy_.default");
  CHECK(lost.is_new);
  CHECK(lost.finding != passes.finding);
}

TEST_CASE("errors that programs catch are one finding, whichever operator raises them") {
  Scene scene;
  const std::string head = "class Model(torch.nn.Module):\n    def forward(self, x):\n";
  const std::string handled =
      head + "        try:\n            x = f(x)\n        except RuntimeError:\n            pass\n";
  const auto message = [](const std::string& called) {
    return "call_function " + called + "(*(1,), **{}): got RuntimeError('no " + called + "')";
  };
  const auto first = scene.confirm_reduced(handled + "        return x\n", message("torch.mm"));
  CHECK(scene.store().findings.find(first.finding)->rounds == 2);  // those of what it was reduced to
  CHECK(scene.store().findings.find(first.finding)->hits == 2);
  const auto second = scene.confirm_reduced(handled + "        return x, 2\n", message("F.softshrink"));
  CHECK(first.is_new);
  CHECK(second.finding == first.finding);
  CHECK_FALSE(second.is_new);
  CHECK(scene.confirm_reduced(head + "        return f(x)\n", message("torch.mm")).is_new);
}

TEST_CASE("a finding whose evidence was altered stays held and gets no new hash") {
  Scene scene;
  const auto finding = scene.confirm("").finding;
  SQLite::Database(scene.folder().database().string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE findings SET reduced = 'import os'");
  store::Id last = 0;
  REQUIRE(scene.store().findings.flag_tampered(0, 10, last) == std::vector<store::Id>{finding});
  scene.recorder().add_recheck({.finding = finding, .torch = "9.9", .device = "cpu"}, 3);
  (void)scene.recorder().sanitized(finding, 4);
  scene.recorder().set_newest_torch("9.9", 5);
  CHECK(scene.store().findings.find(finding)->disposition.is_held("tampered"));
  CHECK(scene.store().findings.tampered(finding) == std::vector<std::string>{"the draft or its program"});
}

TEST_CASE(
    "programs that show a known fault are one finding with the status known, and no other finding is merged with it") {
  Scene scene;
  const auto first = scene.confirm_returned_input("lowering aten.add.Tensor", "aten.add.Tensor");
  const auto second = scene.confirm_returned_input("lowering aten.mul.Tensor", "aten.mul.Tensor");
  const auto other = scene.confirm_wrong("lowering aten.add.Tensor", {"aten.add.Tensor"}, oracle::Dtype::float32, "[]",
                                         oracle::Kind::metadata);
  CHECK(first.is_new);
  CHECK_FALSE(second.is_new);
  CHECK(second.finding == first.finding);
  CHECK(other.is_new);
  const auto finding = scene.store().findings.find(first.finding).value();
  CHECK(finding.status == store::FindingStatus::known);
  CHECK(finding.disposition.text() == "known(197893)");
  CHECK(scene.store().triage.of(first.finding).at(0).issue == "https://github.com/pytorch/pytorch/issues/197893");
}
