#include "oracle/finding/disposition.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>

#include "oracle/rules/explain.h"
#include "tests/catch.h"
#include "tests/files.h"
#include "tests/oracle/builders.h"

namespace parityd::oracle::test {
namespace {

using Change = void (*)(LeafMeasurement&);

std::string text_of(const DisposedBy& disposed) {
  const bool ready = disposed.disposition.klass == Disposition::Class::ready;
  return std::string(disposed.row) + " " + disposed.disposition.text() +
         (ready ? " " + std::to_string(disposed.disposition.severity) : "");
}

/// Evidence of a round in which one leaf differs as `change` says.
Evidence of_leaf(const std::string& path, Change change) {
  Evidence evidence = round_of();
  LeafMeasurement leaf = same_leaf(path);
  change(leaf);
  measure(evidence, Mode::eager, Mode::inductor, {leaf});
  return evidence;
}

Evidence of_outcomes(const Outcome& eager, const Outcome& compiled) {
  Evidence evidence;
  evidence.outcomes[Mode::eager] = eager;
  evidence.outcomes[Mode::inductor] = compiled;
  return evidence;
}

/// judge() and then the table.
std::string disposed(const Evidence& evidence, const DispositionFacts& facts = {},
                     const DispositionChoices& choices = {}) {
  const Verdict verdict = judge(evidence);
  REQUIRE(verdict.verdict == VerdictKind::inconsistent);
  return text_of(dispose(verdict, evidence, facts, choices));
}

const Change kWrong = [](LeafMeasurement& leaf) { leaf = off_leaf(leaf.path, 1); };
const Change kStride = [](LeafMeasurement& leaf) { leaf.stride_differs = true; };

const Outcome kCheck = raised(Step::forward, "IndexError", "index out of range in self");
const Outcome kDtype = raised(Step::forward, "RuntimeError", "\"ceil\" not implemented for 'Bool'");
const Outcome kLowering = raised(Step::compile, "InductorError", "x");

Evidence with_inputs(Evidence evidence, const InputFacts& inputs) {
  evidence.inputs = inputs;
  return evidence;
}

/// What eager_normal and inductor_normal say of the leaf that differs.
Evidence without_subnormals(std::vector<LeafMeasurement> leaves) {
  Evidence evidence = of_leaf("output", kWrong);
  measure(evidence, Mode::eager_normal, Mode::inductor_normal, std::move(leaves));
  return evidence;
}

}  // namespace

TEST_CASE("rows wrong and metadata: values, gradients and state, then shape, dtype and requires_grad") {
  CHECK(disposed(of_leaf("output", kWrong)) == "wrong ready 1");
  CHECK(disposed(of_leaf("gradient.w", kWrong)) == "wrong ready 1");
  CHECK(disposed(of_leaf("buffer.b", kWrong)) == "wrong ready 1");
  CHECK(disposed(of_leaf("output", [](auto& leaf) { leaf.dtype_differs = true; })) == "metadata ready 3");
  CHECK(disposed(of_leaf("output", [](auto& leaf) { leaf.requires_grad_differs = true; })) == "metadata ready 3");
  CHECK(disposed(of_leaf("output", [](auto& leaf) { leaf.shape_differs = leaf.stride_differs = true; })) ==
        "metadata ready 3");
}

TEST_CASE("rows strides and layout: they are told apart") {
  CHECK(disposed(of_leaf("output", kStride)) == "strides held(stride)");
  CHECK(disposed(of_leaf("output", kStride), {.strict_strides = true}) == "layout ready 4");
  CHECK(disposed(of_leaf("output", kStride), {.felt_downstream = true}) == "layout ready 4");
  CHECK(disposed(of_leaf("output", [](auto& leaf) { leaf.alias_differs = true; })) == "metadata ready 3");
  CHECK(disposed(of_leaf("output", [](auto& leaf) { leaf.alias_differs = leaf.stride_differs = true; })) ==
        "metadata ready 3");
}

TEST_CASE("row layout: a program that asks for strides makes them values") {
  const Change other_number = [](LeafMeasurement& leaf) {
    leaf = off_leaf(leaf.path, 1);
    leaf.dtype = Dtype::int64;
  };
  const DispositionChoices exact{{"rounding", std::nullopt}};  // as if there were a double run
  CHECK(disposed(of_leaf("output[1]", other_number), {.asks_for_strides = true}, exact) == "layout ready 4");
  CHECK(disposed(of_leaf("output[1]", other_number), {}, exact) == "wrong ready 1");
  CHECK(disposed(of_leaf("output[1]", kWrong), {.asks_for_strides = true}) == "wrong ready 1");
  CHECK(asks_for_strides("return y, y.stride(0)"));
  CHECK(asks_for_strides("if y.is_contiguous():"));
  CHECK_FALSE(asks_for_strides("F.max_pool2d(x, 2, stride=2)"));
}

TEST_CASE("overloads of torch's own operators are told from operators that a program registers") {
  CHECK(calls_overloads("torch.ops.aten.add.Scalar(x, 1)"));
  CHECK(calls_overloads("torch.ops.quantized_decomposed.quantize_per_tensor.tensor(x, s, z, 1, 1, torch.int8)"));
  CHECK_FALSE(calls_overloads("torch.ops.mine.double(x)"));
  CHECK_FALSE(calls_overloads("torch.add(x, 1)"));
}

TEST_CASE("row unusual: what ordinary programs do not meet comes last, whatever it is") {
  CHECK(disposed(of_leaf("output", kWrong), {.calls_overloads = true}) == "unusual ready 5");
  CHECK(disposed(of_leaf("output", kWrong), {.trigger = Trigger::edge}) == "unusual ready 5");
  CHECK(disposed(of_leaf("output", kWrong), {.trigger = Trigger::config}) == "wrong ready 1");
  CHECK(disposed(of_leaf("output", kStride), {.felt_downstream = true, .calls_overloads = true}) == "unusual ready 5");
  CHECK(disposed(of_leaf("output", kWrong), {.calls_overloads = true, .out_of_bounds = Side::compiled}) ==
        "out_of_bounds ready 1");
}

TEST_CASE("row subnormal: the difference vanishes without subnormals") {
  CHECK(disposed(without_subnormals({same_leaf("output")})) == "subnormal held(subnormal)");
  CHECK(disposed(without_subnormals({off_leaf("output", 1)})) == "wrong ready 1");
  CHECK(disposed(without_subnormals({})) == "wrong ready 1");
}

TEST_CASE("row known: a known issue decides, whatever else the finding is") {
  const auto returned = [](auto& leaf) {
    leaf.alias_differs = leaf.returned_input = leaf.requires_grad_differs = true;
  };
  CHECK(disposed(of_leaf("output", returned)) == "known known(197893)");
  CHECK(disposition_from_text("known(5)")->umbrella_issue == 5);
}

TEST_CASE("row fails: compiled code raises, crashes or hangs") {
  CHECK(disposed(of_outcomes(ran(), kLowering)) == "fails ready 2");
  CHECK(disposed(of_outcomes(ran(), died(Step::forward, 11))) == "fails ready 2");
  CHECK(disposed(of_outcomes(ran(), hung(Step::compile))) == "fails ready 2");
}

TEST_CASE("rows lost_check and lost_dtype_check: lost checks belong to umbrellas, whatever the inputs") {
  CHECK(disposed(of_outcomes(kCheck, ran())) == "lost_check umbrella(197554)");
  CHECK(disposed(of_outcomes(kDtype, ran())) == "lost_dtype_check umbrella(198155)");
  CHECK(disposed(with_inputs(of_outcomes(kCheck, ran()), {true, true, true})) == "lost_check umbrella(197554)");
}

TEST_CASE("row eager: eager is the wrong side, or its code reads out of bounds") {
  CHECK(disposed(of_outcomes(died(Step::forward, 11), ran())) == "eager held(eager)");
  CHECK(disposed(of_leaf("output", kWrong), {.out_of_bounds = Side::eager}) == "eager held(eager)");
  const Evidence evidence = of_leaf("output", kWrong);
  const Verdict verdict = judge(evidence);
  CHECK(dispose(verdict, evidence, {.out_of_bounds = Side::eager}).disposition.umbrella_issue == 195547);
  const Evidence dies = of_outcomes(died(Step::forward, 11), ran());
  CHECK(dispose(judge(dies), dies).disposition.umbrella_issue == 0);
}

TEST_CASE("row out_of_bounds: it is the most severe, even if it shows as a crash") {
  CHECK(disposed(of_outcomes(ran(), died(Step::forward, 11)), {.out_of_bounds = Side::compiled}) ==
        "out_of_bounds ready 1");
}

TEST_CASE("row edge: unusual inputs hold a finding back unless ordinary ones also show it") {
  for (const InputFacts& inputs :
       {InputFacts{.non_finite = true}, InputFacts{.extreme = true}, InputFacts{.zero_size = true}}) {
    const Evidence evidence = with_inputs(of_leaf("output", kWrong), inputs);
    CHECK(disposed(evidence) == "edge held(edge)");
    CHECK(disposed(evidence, {.trigger = Trigger::edge}) == "edge held(edge)");
    CHECK(disposed(evidence, {.trigger = Trigger::ordinary}) == "wrong ready 1");
    CHECK(disposed(evidence, {.trigger = Trigger::config}) == "wrong ready 1");
  }
  CHECK(disposed(of_leaf("output", kWrong), {.trigger = Trigger::edge}) == "unusual ready 5");
  CHECK(disposed(with_inputs(of_outcomes(ran(), kLowering), {.zero_size = true})) == "edge held(edge)");
}

TEST_CASE("row random: only values that depend on random numbers differ") {
  const auto drawing = [](Evidence evidence) {
    evidence.outcomes[Mode::inductor].seeded = {"aten.native_dropout.default"};
    return evidence;
  };
  CHECK(disposed(drawing(of_leaf("output", kWrong))) == "random held(random)");
  CHECK(disposed(drawing(of_leaf("buffer.b", kWrong))) == "random held(random)");
  CHECK(disposed(drawing(of_leaf("gradient.input[0]", kWrong))) == "wrong ready 1");  // forward drew the same ones
  CHECK(disposed(drawing(of_leaf("output", [](LeafMeasurement& leaf) { leaf.dtype_differs = true; }))) ==
        "metadata ready 3");
  CHECK(disposed(drawing(of_outcomes(ran(), kLowering))) == "fails ready 2");
}

TEST_CASE("row private: the operators are called only by torch itself") {
  Evidence evidence = of_leaf("output", kWrong);
  evidence.outcomes[Mode::inductor].private_operators = {"aten._unsafe_masked_index.default"};
  CHECK(disposed(evidence) == "private held(private)");
  CHECK(disposed(evidence, {}, {{"private", std::nullopt}}) == "wrong ready 1");
  Evidence raises = of_outcomes(ran(), kLowering);
  raises.outcomes[Mode::inductor].private_operators = {"aten._unsafe_masked_index.default"};
  CHECK(disposed(raises) == "private held(private)");
}

TEST_CASE("row flaky: it comes before everything else") {
  CHECK(disposed(of_leaf("output", kWrong), {.flaky = true}) == "flaky held(flaky)");
  CHECK(disposed(of_outcomes(kCheck, ran()), {.flaky = true, .newest = NewestTorch::gone}) == "flaky held(flaky)");
}

TEST_CASE("row patched: replaced torch code proves nothing about torch") {
  for (const Mode mode : {Mode::eager, Mode::inductor}) {
    Evidence evidence = of_leaf("output", kWrong);
    evidence.outcomes[mode].replaced = {"torch.relu"};
    CHECK(disposed(evidence) == "patched held(patched)");
    CHECK(disposed(evidence, {.trigger = Trigger::ordinary}) == "patched held(patched)");
    CHECK(disposed(evidence, {}, {{"patched", std::nullopt}}) == "wrong ready 1");
  }
  Evidence lost = of_outcomes(kCheck, ran());
  lost.outcomes[Mode::eager].replaced = {"lowering aten.ceil.default"};
  CHECK(disposed(lost) == "patched held(patched)");
}

TEST_CASE("rows fixed and untried: the newest torch decides") {
  const Evidence wrong = of_leaf("output", kWrong);
  CHECK(disposed(wrong, {.newest = NewestTorch::gone}) == "fixed held(fixed)");
  CHECK(disposed(of_outcomes(kCheck, ran()), {.newest = NewestTorch::gone}) == "fixed held(fixed)");
  CHECK(disposed(wrong, {.newest = NewestTorch::untried}) == "untried held(untried)");
  CHECK(disposed(of_outcomes(kCheck, ran()), {.newest = NewestTorch::untried}) == "lost_check umbrella(197554)");
  CHECK(disposed(wrong, {.newest = NewestTorch::different}) == "different held(different)");
  CHECK(disposed(of_outcomes(kCheck, ran()), {.newest = NewestTorch::different}) == "lost_check umbrella(197554)");
  CHECK(disposed(wrong, {.newest = NewestTorch::shows}) == "wrong ready 1");
  CHECK(disposed(wrong, {.newest = NewestTorch::not_configured}) == "wrong ready 1");
}

TEST_CASE("row stale: an old table of known issues holds back a finding that would be ready") {
  using std::chrono::hours;
  const Evidence wrong = of_leaf("output", kWrong);
  CHECK(disposed(wrong, {.known_age = hours(7 * 24 + 1)}) == "stale held(stale)");
  CHECK(disposed(wrong, {.known_age = hours(7 * 24)}) == "wrong ready 1");
  CHECK(disposed(wrong, {.known_age = hours(2), .known_max_age = hours(1)}) == "stale held(stale)");
  CHECK(disposed(of_leaf("output", kStride), {.known_age = hours(9999)}) == "strides held(stride)");
}

TEST_CASE("the sign of zero and strides that nobody can see are recorded but are no finding") {
  Evidence evidence = round_of();
  LeafMeasurement leaf = same_leaf("output");
  leaf.sign_differs = 3;
  measure(evidence, Mode::eager, Mode::inductor, {leaf});
  CHECK(judge(evidence).verdict == VerdictKind::consistent);
}

TEST_CASE("every row is tested above") {
  std::vector<std::string_view> names;
  for (const auto& row : disposition_rows()) {
    names.push_back(row.name);
    const auto disposition = disposition_from_text(row.disposition);
    REQUIRE(disposition.has_value());
    CHECK(row.disposition.starts_with(disposition->text()));
  }
  CHECK(names == std::vector<std::string_view>{
                     "flaky",      "fixed",   "patched",   "known",     "eager",     "lost_dtype_check",
                     "lost_check", "strides", "zero_sign", "subnormal", "edge",      "random",
                     "rounding",   "private", "stale",     "untried",   "different", "out_of_bounds",
                     "unusual",    "layout",  "metadata",  "fails",     "wrong",     "script_denies",
                     "script"});
}

TEST_CASE("docs/disposition.md shows the rows of the table in their order") {
  const std::string page = parityd::tests::read_file(PARITYD_SOURCE_DIR "/docs/disposition.md");
  std::string table;
  for (const auto& row : disposition_rows()) {
    table += "| `" + std::string(row.name) + "` | " + std::string(row.about) + " | `" + std::string(row.disposition) +
             "` |\n";
  }
  const std::string head = "| --- | --- | --- |\n";
  const auto begin = page.find(head);
  REQUIRE(begin != std::string::npos);
  CHECK(page.substr(begin + head.size(), table.size() + 1) == table + "\n");
}

TEST_CASE("documentation names only existing dispositions") {
  std::set<std::string, std::less<>> reasons{"split", "tampered", "reason", "REASON"};
  for (const auto& row : disposition_rows()) reasons.insert(disposition_from_text(row.disposition)->reason);
  for (const auto& page : std::filesystem::directory_iterator(PARITYD_SOURCE_DIR "/docs")) {
    if (page.path().extension() != ".md") continue;
    const std::string text = parityd::tests::read_file(page.path());
    for (const std::string_view klass : {"`ready(", "`held("}) {
      for (auto at = text.find(klass); at != std::string::npos; at = text.find(klass, at + 1)) {
        const std::string named = text.substr(at + 1, text.find_first_of("`\n", at + 1) - at - 1);
        CAPTURE(page.path().string(), named);
        const auto inside = named.substr(named.find('(') + 1, named.find(')') - named.find('(') - 1);
        CHECK((klass == "`held(" ? reasons.contains(inside) : disposition_from_text(named).has_value()));
      }
    }
  }
}

TEST_CASE("the configuration overrides or disables a row") {
  const Evidence edge = with_inputs(of_leaf("output", kWrong), {.non_finite = true});
  CHECK(disposed(edge, {}, {{"edge", disposition_from_text("ready(2)")}}) == "edge ready 2");
  CHECK(disposed(edge, {}, {{"edge", std::nullopt}}) == "wrong ready 1");
  CHECK(disposed(edge, {}, {{"wrong", disposition_from_text("held(mine)")}}) == "edge held(edge)");
  CHECK(disposed(of_leaf("output", kWrong), {}, {{"wrong", disposition_from_text("umbrella(7)")}}) ==
        "wrong umbrella(7)");
}

TEST_CASE("a finding is not ready until its script has reproduced it") {
  const Evidence wrong = of_leaf("output", kWrong);
  CHECK(disposed(wrong, {.script = ScriptRuns::shown}) == "wrong ready 1");
  CHECK(disposed(wrong, {.script = ScriptRuns::wanted}) == "script held(script)");
  CHECK(disposed(wrong, {.script = ScriptRuns::not_shown}) == "script_denies held(tampered)");
  CHECK(disposed(wrong, {.out_of_bounds = Side::compiled, .script = ScriptRuns::wanted}) == "script held(script)");
  SECTION("what is held for another reason stays so") {
    CHECK(disposed(wrong, {.flaky = true, .script = ScriptRuns::wanted}) == "flaky held(flaky)");
    CHECK(disposed(wrong, {.newest = NewestTorch::untried, .script = ScriptRuns::not_shown}) ==
          "untried held(untried)");
  }
  SECTION("a row that the configuration makes ready is no exception") {
    const DispositionChoices ready{{"flaky", disposition_from_text("ready(2)")}};
    CHECK(disposed(wrong, {.flaky = true, .script = ScriptRuns::shown}, ready) == "flaky ready 2");
    CHECK(disposed(wrong, {.flaky = true, .script = ScriptRuns::not_shown}, ready) == "script_denies held(tampered)");
  }
  SECTION("only the configuration passes over the script's rows") {
    CHECK(disposed(wrong, {.script = ScriptRuns::wanted}, {{"script", std::nullopt}}) == "wrong ready 1");
  }
}

TEST_CASE("the text of a script run gives its result") {
  const auto says = [](std::string_view told) { return read_script_report(script_report("ab", told)); };
  CHECK(says("shown\n\n== run alone: exit status 0\n").says == ScriptSays::shown);
  CHECK(says("shown\n").script == "ab");
  CHECK(says("not shown: it says the same\nshown\n").says == ScriptSays::not_shown);
  CHECK(says("not shown: it says the same\nshown\n").why == "it says the same");
  CHECK(says("not shown").says == ScriptSays::not_shown);
  CHECK(says(script_not_run("its process died")).why == "its process died");
  CHECK(in_words(says(script_not_run("its process died"))) == "its script cannot tell: its process died");
  for (const char* text : {"", "shown\n", "script", "script ab", "script ab\nshow\n", "script ab\nshownish\n"}) {
    CAPTURE(text);
    CHECK(read_script_report(text).says == ScriptSays::cannot_tell);
  }
}

TEST_CASE("dispositions have texts") {
  CHECK(disposition_from_text("ready(1)")->severity == 1);
  CHECK(disposition_from_text("ready")->severity == 2);
  CHECK(disposition_from_text("umbrella(12)")->umbrella_issue == 12);
  CHECK(disposition_from_text("held(a_word)")->reason == "a_word");
  for (const char* text : {"", "ready(6)", "ready(0)", "umbrella()", "umbrella(x)", "held()", "held(A b)", "held(x",
                           "pass", "umbrella(1)(2)"}) {
    CAPTURE(text);
    CHECK(!disposition_from_text(text).has_value());
  }
}

TEST_CASE("facts of inputs are computed") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  Record record(Mode::eager);
  record.tensor<float>("input[0]", Dtype::float32, {1, 2});
  record.tensor<float>("output", Dtype::float32, {kNan});
  record.tensor<std::uint16_t>("input[1]", Dtype::float16, {0x3c00});
  record.tensor<std::int64_t>("input[2]", Dtype::int64, {-1});
  record.tensor<std::int8_t>("input[5]", Dtype::int8, {-128, 127});
  record.value("input[6]", "float", "0.5");
  CHECK(!input_facts(record.record()).edge());
  SECTION("Python's NaN and large numbers") {
    record.value("input[7]", "float", "nan");
    CHECK(input_facts(record.record()).non_finite);
    CHECK(!input_facts(record.record()).extreme);
    record.value("input[8]", "float", "-1e+30");
    CHECK(input_facts(record.record()).extreme);
  }
  SECTION("extreme values") {
    record.tensor<float>("input[7]", Dtype::float32, {-2e6});
    CHECK(input_facts(record.record()).extreme);
  }
  SECTION("extreme integers") {
    record.tensor<std::int32_t>("input[7]", Dtype::int32, {std::numeric_limits<std::int32_t>::min()});
    CHECK(input_facts(record.record()).extreme);
  }
  SECTION("extreme half") {
    record.tensor<std::uint16_t>("input[7]", Dtype::float16, {0x7bff});
    CHECK(input_facts(record.record()).extreme);
  }
  SECTION("NaN") {
    record.tensor<float>("input[3]", Dtype::float32, {1, kNan});
    CHECK(input_facts(record.record()).non_finite);
  }
  SECTION("infinity of half precision, as an imaginary part") {
    record.tensor<std::uint16_t>("input[3]", Dtype::complex32, {0x3c00, 0x7c00});
    CHECK(input_facts(record.record()).non_finite);
  }
  SECTION("NaN in the storage, not in the tensor") {
    record.view("input[3]", Dtype::float32, record.storage<float>({1, kNan, 2, kNan}), {2}, {2});
    CHECK(!input_facts(record.record()).non_finite);
  }
  SECTION("no elements") {
    record.view("input[3]", Dtype::float32, record.storage<float>({}), {0, 3}, {3, 1});
    CHECK(input_facts(record.record()).zero_size);
  }
  SECTION("outside its storage") {
    record.view("input[3]", Dtype::float32, record.storage<float>({1}), {9}, {1});
    CHECK(!input_facts(record.record()).edge());
  }
}

TEST_CASE("an explanation contains outcomes and numbers and fits a terminal") {
  Evidence evidence = round_of();
  evidence.outcomes[Mode::reference] =
      raised(Step::forward, "RuntimeError", std::string(300, 'x') + "\x1b[31m\nsecond line é");
  evidence.outcomes[Mode::inductor_fp64] = died(Step::forward, 11);
  LeafMeasurement strided = same_leaf("output[2]");
  strided.stride_differs = true;
  strided.detail = "stride [3, 1] vs [1, 2]";
  measure(evidence, Mode::eager, Mode::inductor, {off_leaf("output[0]", 0.125), same_leaf("output[1]"), strided});
  measure(evidence, Mode::eager, Mode::inductor_precise, {off_leaf("output[0]", 0.25), same_leaf("output[1]")});
  evidence.same = false;
  evidence.warnings = {"no double run"};
  const std::string text = explain(evidence);
  for (const char* const part : {"eager_repeat", "signal 11", "RuntimeError", "output[0]  (float32)", "0.125", "0.25",
                                 "100/100", "stride [3, 1] vs [1, 2]", "same: False", "no double run"}) {
    CAPTURE(part, text);
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(text.find("output[1]") == std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    REQUIRE(end != std::string::npos);
    std::size_t columns = 0;
    for (std::size_t i = at; i < end; ++i) columns += (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U ? 1 : 0;
    CHECK(columns <= 100);
    at = end + 1;
  }
}

TEST_CASE("an explanation of equal runs says so") {
  Evidence evidence = round_of();
  measure(evidence, Mode::eager, Mode::inductor, {same_leaf("output")});
  CHECK(explain(evidence).find("every leaf is equal") != std::string::npos);
}

}  // namespace parityd::oracle::test
