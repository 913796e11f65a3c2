// Rule 2: whether two runs may be compared, and exact metadata.
#include "oracle/rules/verdict.h"
#include "tests/catch.h"
#include "tests/oracle/builders.h"

namespace parityd::oracle::test {
namespace {

using Change = void (*)(LeafMeasurement&);

Evidence with_leaf(const std::string& path, Change change) {
  Evidence evidence = round_of();
  LeafMeasurement leaf = same_leaf(path);
  change(leaf);
  leaf.detail = "detail";
  measure(evidence, Mode::eager, Mode::inductor, {same_leaf("output[9]"), leaf});
  return evidence;
}

}  // namespace

TEST_CASE("inputs that differ between the sides make a program unstable") {
  for (const Change change : {Change([](LeafMeasurement& leaf) { leaf.unequal = 1; }),
                              Change([](LeafMeasurement& leaf) { leaf.sign_differs = 1; }),
                              Change([](LeafMeasurement& leaf) { leaf.stride_differs = true; }),
                              Change([](LeafMeasurement& leaf) { leaf.missing = true; })}) {
    CHECK(judge(with_leaf("input[0]", change)).rule == "stability.inputs_differ");
    CHECK(screen(with_leaf("input[0]", change)).verdict == VerdictKind::unstable);
    CHECK(judge(with_leaf("input_after[0]", change)).rule != "stability.inputs_differ");
  }
}

TEST_CASE("a program is unstable if eager is not bitwise reproducible") {
  Evidence evidence = round_of();
  measure(evidence, Mode::eager, Mode::inductor, {off_leaf("output", 1)});
  measure(evidence, Mode::eager, Mode::eager_repeat, {off_leaf("output", 1e-9)});
  CHECK(judge(evidence).rule == "stability.eager_repeat");
  evidence.measurements[1].leaves = {same_leaf("output")};
  CHECK(judge(evidence).verdict == VerdictKind::inconsistent);
}

TEST_CASE("a compiled mode that compiled nothing cannot be wrong") {
  Evidence evidence = round_of();
  evidence.outcomes[Mode::inductor].graphs = 0;
  measure(evidence, Mode::eager, Mode::inductor, {off_leaf("output", 1)});
  CHECK(judge(evidence).rule == "not_compiled");
  CHECK(screen(evidence).verdict == VerdictKind::excused);
  evidence.outcomes[Mode::inductor].fallbacks = {"skipped_frames"};
  CHECK(judge(evidence).explanation.find("skipped_frames") != std::string::npos);
  evidence.measurements[0].leaves = {off_leaf("output", 1e-9)};
  CHECK(judge(evidence).rule == "not_compiled");  // eager agrees with itself: that says nothing
  CHECK(judge(evidence, {"not_compiled"}).verdict == VerdictKind::consistent);
}

TEST_CASE("documented omissions of an export are not faults") {
  Evidence evidence = round_of();
  evidence.compiled = Mode::exported;
  evidence.outcomes[Mode::exported] = evidence.outcomes[Mode::inductor];
  measure(evidence, Mode::eager, Mode::exported, {off_leaf("output", 1)});
  CHECK(screen(evidence).verdict == VerdictKind::inconsistent);
  evidence.outcomes[Mode::exported].fallbacks = {"other_layout"};
  CHECK(screen(evidence).rule == "documented.export_layout");
  evidence.outcomes[Mode::exported].fallbacks = {"side_effects"};
  CHECK(screen(evidence).rule == "documented.export_side_effects");
  CHECK(screen(evidence, {"documented.export_side_effects"}).verdict == VerdictKind::inconsistent);
  evidence.outcomes[Mode::exported].fallbacks.clear();
  LeafMeasurement counter = off_leaf("state.count", 1);
  counter.group = LeafGroup::state;
  evidence.measurements[0].leaves.push_back(counter);
  CHECK(screen(evidence).verdict == VerdictKind::inconsistent);  // one call: its output does not hang on it
  LeafMeasurement earlier = same_leaf("call[0].output");
  earlier.group = LeafGroup::earlier_output;
  evidence.measurements[0].leaves.push_back(earlier);
  CHECK(screen(evidence).rule == "documented.export_side_effects");
  evidence.measurements[0].leaves = {same_leaf("output"), counter};
  CHECK(screen(evidence).rule == "documented.export_side_effects");
  evidence.measurements[0].leaves = {same_leaf("output")};
  evidence.outcomes[Mode::exported].fallbacks = {"side_effects"};
  CHECK(screen(evidence).verdict == VerdictKind::consistent);
}

TEST_CASE("a parameter that the program writes is excused only under freezing") {
  for (const auto& [mode, verdict] : {std::pair(Mode::inductor_freezing, VerdictKind::excused),
                                      std::pair(Mode::inductor, VerdictKind::inconsistent)}) {
    Evidence evidence = round_of();
    evidence.compiled = mode;
    evidence.outcomes[mode] = evidence.outcomes[Mode::inductor];
    evidence.outcomes[Mode::eager].fallbacks = {"parameters_written"};
    measure(evidence, Mode::eager, mode, {off_leaf("output", 1)});
    CHECK(screen(evidence).verdict == verdict);
  }
}

TEST_CASE("a value that cannot be inspected is named, and the program is not called consistent") {
  Evidence evidence = round_of();
  LeafMeasurement closed = same_leaf("output[2]");
  closed.unopened = "collections.Foo";
  measure(evidence, Mode::eager, Mode::inductor, {same_leaf("input[0]"), same_leaf("output[0]"), closed});
  for (const Verdict& verdict : {judge(evidence), screen(evidence)}) {
    CHECK(verdict.verdict == VerdictKind::excused);
    CHECK(verdict.rule == "not_compared");
    CHECK(verdict.explanation == "The other 2 leaves agree; not compared: output[2] (collections.Foo).");
  }
  CHECK(judge(evidence, {"not_compared"}).verdict == VerdictKind::consistent);
  evidence.measurements[0].leaves.push_back(off_leaf("output[3]", 1));
  CHECK(judge(evidence).verdict == VerdictKind::inconsistent);
}

TEST_CASE("kept state is compared like an output, and losing it is a mutation") {
  Evidence evidence = round_of();
  measure(evidence, Mode::eager, Mode::inductor, {same_leaf("output"), off_leaf("state.history[0]", 1)});
  CHECK(judge(evidence).kind == Kind::numerical);
  evidence.measurements[0].leaves[1] = same_leaf("state.history[0]");
  evidence.measurements[0].leaves[1].missing = true;
  CHECK(judge(evidence).kind == Kind::mutation);
}

TEST_CASE("a stored time does not make the rest of the program unstable") {
  Evidence evidence = round_of();
  measure(evidence, Mode::eager, Mode::inductor, {same_leaf("output"), off_leaf("state.now", 1)});
  CHECK(screen(evidence).verdict == VerdictKind::inconsistent);
  measure(evidence, Mode::eager, Mode::eager_repeat, {same_leaf("output"), off_leaf("state.now", 2)});
  CHECK(judge(evidence).rule == "not_compared");
  CHECK(judge(evidence).explanation.find("state.now (not the same in two eager runs)") != std::string::npos);
  evidence.measurements[0].leaves[0] = off_leaf("output", 1);
  CHECK(judge(evidence).leaves == std::vector<std::string>{"output"});
}

TEST_CASE("two runs without a measurement are not called consistent") {
  CHECK(judge(round_of()).rule == "stability.unmeasured");
}

TEST_CASE("exact metadata is compared") {
  struct Row {
    const char* what;
    const char* path;
    Change change;
    std::optional<Kind> kind;
    const char* rule;
  };
  const std::vector<Row> rows{
      {"missing", "output", [](LeafMeasurement& l) { l.missing = true; }, Kind::metadata, "metadata.exact"},
      {"type", "output", [](LeafMeasurement& l) { l.type_differs = true; }, Kind::metadata, "metadata.exact"},
      {"dtype", "output", [](LeafMeasurement& l) { l.dtype_differs = true; }, Kind::metadata, "metadata.exact"},
      {"shape", "output", [](LeafMeasurement& l) { l.shape_differs = true; }, Kind::metadata, "metadata.exact"},
      {"requires_grad", "output", [](LeafMeasurement& l) { l.requires_grad_differs = true; }, Kind::metadata,
       "metadata.exact"},
      {"stride", "output", [](LeafMeasurement& l) { l.stride_differs = true; }, Kind::metadata, "metadata.stride"},
      {"aliasing", "output", [](LeafMeasurement& l) { l.alias_differs = true; }, Kind::metadata, "metadata.aliasing"},
      {"dtype of an input", "input_after[0]", [](LeafMeasurement& l) { l.dtype_differs = true; }, Kind::mutation,
       "metadata.exact"},
      {"shape of a buffer", "buffer.b", [](LeafMeasurement& l) { l.shape_differs = true; }, Kind::mutation,
       "metadata.exact"},
      {"gradient only one side has", "gradient.w", [](LeafMeasurement& l) { l.missing = true; }, Kind::gradient,
       "metadata.exact"},
      {"stride of a gradient", "gradient.w", [](LeafMeasurement& l) { l.stride_differs = true; }, {}, "consistent"},
      {"sign of zero", "output", [](LeafMeasurement& l) { l.sign_differs = 3; }, {}, "consistent"},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    const Verdict verdict = judge(with_leaf(row.path, row.change));
    CHECK(verdict.kind == row.kind);
    CHECK(verdict.rule == row.rule);
    if (row.kind) CHECK(verdict.leaves == std::vector<std::string>{row.path});
  }
}

TEST_CASE("a shape that depends on rounding is excused, a dtype never") {
  const Change shape = [](LeafMeasurement& leaf) { leaf.shape_differs = true; };
  const Change dtype = [](LeafMeasurement& leaf) { leaf.shape_differs = leaf.dtype_differs = true; };
  for (const auto& [expected, actual] :
       {std::pair(Mode::eager, Mode::inductor_precise), std::pair(Mode::reference, Mode::inductor_fp64)}) {
    Evidence evidence = with_leaf("output", shape);
    measure(evidence, expected, actual, {same_leaf("output")});
    CHECK(judge(evidence).rule == "metadata.rounding_decides_shape");
    CHECK(judge(evidence).verdict == VerdictKind::excused);
    evidence = with_leaf("output", dtype);
    measure(evidence, expected, actual, {same_leaf("output")});
    CHECK(judge(evidence).kind == Kind::metadata);
  }
  Evidence evidence = with_leaf("output", shape);
  LeafMeasurement same_way = same_leaf("output");
  same_way.shape_differs = true;
  measure(evidence, Mode::eager, Mode::inductor_precise, {same_way});
  measure(evidence, Mode::reference, Mode::inductor_fp64, {same_way});
  CHECK(judge(evidence).kind == Kind::metadata);
}

TEST_CASE("a wrong value outranks a stride or an alias, and a shape outranks a value") {
  Evidence evidence = round_of();
  LeafMeasurement alias = same_leaf("output");
  alias.alias_differs = true;
  measure(evidence, Mode::eager, Mode::inductor, {alias, off_leaf("input_after[0]", 1)});
  CHECK(judge(evidence).kind == Kind::mutation);
  CHECK(judge(evidence).leaves == std::vector<std::string>{"input_after[0]"});
  LeafMeasurement shape = same_leaf("gradient.w");
  shape.shape_differs = true;
  evidence.measurements[0].leaves.push_back(shape);
  CHECK(judge(evidence).kind == Kind::gradient);
}

TEST_CASE("returning an input where eager makes a new tensor is known, other aliasing and strides count") {
  Evidence evidence = round_of();
  LeafMeasurement output = same_leaf("output[0]");
  output.alias_differs = output.returned_input = true;
  measure(evidence, Mode::eager, Mode::inductor, {output});
  CHECK(judge(evidence).verdict == VerdictKind::inconsistent);
  CHECK(judge(evidence).rule == "known.returned_input");
  CHECK_FALSE(needs_controls(judge(evidence)));
  CHECK(judge(evidence, {"known.returned_input"}).rule == "metadata.aliasing");
  SECTION("the input itself brings requires_grad and its class along") {
    LeafMeasurement& leaf = evidence.measurements[0].leaves[0];
    leaf.requires_grad_differs = leaf.type_differs = true;
    CHECK(judge(evidence).rule == "known.returned_input");
    leaf.dtype_differs = true;
    CHECK(judge(evidence).rule == "metadata.exact");
  }
  SECTION("a wrong value beside it goes before it") {
    evidence.measurements[0].leaves[0].requires_grad_differs = true;
    evidence.measurements[0].leaves.push_back(off_leaf("output[1]", 1));
    CHECK(judge(evidence).kind == Kind::numerical);
  }
  SECTION("a stride beside it") {
    evidence.measurements[0].leaves[0].stride_differs = true;
    CHECK(judge(evidence).rule == "metadata.aliasing");
  }
  SECTION("outputs that share memory beside it") {
    LeafMeasurement other = same_leaf("output[1]");
    other.alias_differs = true;
    evidence.measurements[0].leaves.push_back(other);
    CHECK(judge(evidence).rule == "metadata.aliasing");
    CHECK(judge(evidence).leaves == std::vector<std::string>{"output[1]"});
  }
}

TEST_CASE("larger row strides are padding, another order of dimensions counts") {
  Evidence evidence = round_of();
  LeafMeasurement strided = same_leaf("output");
  strided.stride_differs = strided.stride_padded = true;
  measure(evidence, Mode::eager, Mode::inductor, {strided});
  CHECK(judge(evidence).rule == "metadata.padded_stride");
  CHECK(judge(evidence, {"metadata.padded_stride"}).rule == "metadata.stride");
  evidence.measurements[0].leaves[0].stride_padded = false;
  CHECK(judge(evidence).rule == "metadata.stride");
}

TEST_CASE("a layout difference is reported even if the values are only rounded") {
  Evidence evidence = round_of();
  LeafMeasurement strided = same_leaf("output[1]");
  strided.stride_differs = true;
  measure(evidence, Mode::eager, Mode::inductor, {off_leaf("output[0]", 1), strided});
  measure(evidence, Mode::eager, Mode::inductor_precise, {same_leaf("output[0]")});
  CHECK(judge(evidence).rule == "metadata.stride");
}

}  // namespace parityd::oracle::test
