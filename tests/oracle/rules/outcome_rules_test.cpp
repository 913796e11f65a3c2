// Rule 1: what two outcomes mean. A row that a rule must catch stands beside one it must leave alone.
#include "oracle/rules/refusals.h"
#include "oracle/rules/verdict.h"
#include "tests/catch.h"
#include "tests/oracle/builders.h"

namespace parityd::oracle::test {
namespace {

struct Row {
  const char* what;
  Outcome eager, compiled;
  VerdictKind verdict;
  std::optional<Kind> kind;
  const char* rule;
};

Evidence evidence_of(const Row& row) {
  Evidence evidence;
  evidence.outcomes[Mode::eager] = row.eager;
  evidence.outcomes[Mode::inductor] = row.compiled;
  if (row.eager.kind == OutcomeKind::ran && row.compiled.kind == OutcomeKind::ran)
    measure(evidence, Mode::eager, Mode::inductor, {same_leaf("output")});
  return evidence;
}

Outcome with_source(Outcome outcome, std::string source) {
  outcome.error->user_source = std::move(source);
  return outcome;
}

Outcome graphless(Outcome outcome) {
  outcome.graphs = 0;
  return outcome;
}

const Outcome kIndexError = raised(Step::forward, "IndexError", "index out of range in self");
const Outcome kLowering = raised(Step::compile, "InductorError", "LoweringException: AssertionError: ");

std::vector<Row> rows_of_errors() {
  using V = VerdictKind;
  return {
      {"both run", ran(), ran(), V::consistent, {}, "consistent"},
      {"compiled raises", ran(), kLowering, V::inconsistent, Kind::behaviour, "outcome.compiled_raises"},
      {"compiled raises in backward", ran(), raised(Step::backward, "RuntimeError", "size"), V::inconsistent,
       Kind::behaviour, "outcome.compiled_raises"},
      {"eager raises, compiled accepts", kIndexError, ran(), V::inconsistent, Kind::missing_check,
       "outcome.missing_check"},
      {"eager raises in backward, compiled accepts", raised(Step::backward, "RuntimeError", "x"), ran(),
       V::inconsistent, Kind::missing_check, "outcome.missing_check"},
      {"eager raises, compiled mode compiled nothing", kIndexError, graphless(ran()), V::excused, {}, "not_compiled"},
      {"both raise, types differ", kIndexError, kLowering, V::invalid, {}, "outcome.both_raise"},
      {"eager raises and the compiler refuses",
       kIndexError,
       raised(Step::compile, "Unsupported", "x"),
       V::invalid,
       {},
       "outcome.both_raise"},
      {"import fails",
       raised(Step::import_program, "ModuleNotFoundError", "x"),
       ran(),
       V::invalid,
       {},
       "outcome.eager_raises_early"},
      {"inputs fail", raised(Step::inputs, "RuntimeError", "x"), ran(), V::invalid, {}, "outcome.eager_raises_early"},
      {"model fails", raised(Step::model, "TypeError", "x"), kLowering, V::invalid, {}, "outcome.eager_raises_early"},
      {"model kills the process",
       died(Step::model, 11),
       died(Step::model, 11),
       V::invalid,
       {},
       "outcome.eager_raises_early"},
      {"result cannot be recorded",
       raised(Step::measure, "RecordTooLarge", "x"),
       ran(),
       V::invalid,
       {},
       "outcome.unmeasurable"},
      {"only the compiled side fails in inputs",
       ran(),
       raised(Step::inputs, "RuntimeError", "x"),
       V::unstable,
       {},
       "outcome.sides_part_early"},
      {"only the compiled side dies in model",
       ran(),
       died(Step::model, 11),
       V::unstable,
       {},
       "outcome.sides_part_early"},
  };
}

std::vector<Row> rows_of_deaths() {
  using V = VerdictKind;
  return {
      {"compiled dies", ran(), died(Step::forward, 8), V::inconsistent, Kind::crash, "outcome.crash"},
      {"compiled dies where eager raises", kIndexError, died(Step::forward, 8), V::inconsistent, Kind::crash,
       "outcome.crash"},
      {"compiled is killed from outside", ran(), died(Step::compile, 9), V::excused, {}, "outcome.environment"},
      {"compiled hangs", ran(), hung(Step::compile), V::inconsistent, Kind::hang, "outcome.hang"},
      {"compiled hangs where eager raises", kIndexError, hung(Step::compile), V::inconsistent, Kind::hang,
       "outcome.hang"},
      {"eager hangs", hung(Step::forward), ran(), V::invalid, {}, "outcome.own_hang"},
      {"eager hangs before its model", hung(Step::inputs), ran(), V::invalid, {}, "outcome.own_hang"},
      {"both hang", hung(Step::forward), hung(Step::compile), V::invalid, {}, "outcome.own_hang"},
      {"compiled hangs in its backward", ran(), hung(Step::backward), V::inconsistent, Kind::hang, "outcome.hang"},
      {"what is left of compiled hangs", ran(), hung(Step::measure), V::invalid, {}, "outcome.own_hang"},
      {"the error of compiled hangs", kIndexError, hung(Step::measure), V::invalid, {}, "outcome.own_hang"},
      {"what ends after compiled hangs", ran(), hung(Step::reset), V::invalid, {}, "outcome.own_hang"},
      {"eager dies, compiled accepts", died(Step::forward, 11), ran(), V::inconsistent, Kind::missing_check,
       "outcome.eager_died"},
      {"eager dies, compiled raises", died(Step::forward, 11), kLowering, V::invalid, {}, "outcome.eager_died"},
      {"both die", died(Step::forward, 11), died(Step::forward, 11), V::invalid, {}, "outcome.eager_died"},
      {"device assert, compiled accepts",
       raised(Step::forward, "AcceleratorError", "CUDA error: device-side assert triggered"), ran(), V::inconsistent,
       Kind::missing_check, "outcome.eager_died"},
      {"device assert on both sides",
       raised(Step::forward, "RuntimeError", "CUDA error: device-side assert triggered"),
       raised(Step::forward, "RuntimeError", "CUDA error: device-side assert triggered"),
       V::invalid,
       {},
       "outcome.eager_died"},
      {"disk full while compiling",
       ran(),
       raised(Step::compile, "OSError", "[Errno 28] No space left on device"),
       V::excused,
       {},
       "outcome.environment"},
      {"no process left for the compiler",
       ran(),
       raised(Step::compile, "BlockingIOError", "BlockingIOError: [Errno 11] Resource temporarily unavailable"),
       V::excused,
       {},
       "outcome.environment"},
      {"no thread left",
       raised(Step::forward, "RuntimeError", "can't start new thread"),
       ran(),
       V::excused,
       {},
       "outcome.environment"},
      {"no compiler",
       ran(),
       raised(Step::compile, "InvalidCxxCompiler", "No working C++ compiler found"),
       V::excused,
       {},
       "outcome.environment"},
      {"compiled runs out of memory",
       ran(),
       raised(Step::forward, "OutOfMemoryError", "CUDA out of memory. Tried"),
       V::excused,
       {},
       "outcome.environment"},
      {"eager alone runs out of memory",
       raised(Step::forward, "OutOfMemoryError", "CUDA out of memory."),
       ran(),
       V::excused,
       {},
       "outcome.environment"},
      {"too large for both",
       raised(Step::forward, "OutOfMemoryError", "CUDA out of memory."),
       raised(Step::forward, "OutOfMemoryError", "CUDA out of memory."),
       V::invalid,
       {},
       "outcome.both_raise"},
  };
}

std::vector<Row> rows() {
  std::vector<Row> all = rows_of_errors();
  for (Row& row : rows_of_deaths()) all.push_back(std::move(row));
  return all;
}

}  // namespace

TEST_CASE("outcomes decide before anything is compared") {
  for (const Row& row : rows()) {
    INFO(row.what);
    const Verdict verdict = judge(evidence_of(row));
    CHECK(name(verdict.verdict) == name(row.verdict));
    CHECK(verdict.kind == row.kind);
    CHECK(verdict.rule == row.rule);
    CHECK(!verdict.explanation.empty());
    CHECK(verdict.explanation.back() == '.');
    CHECK(verdict.leaves.empty());
  }
}

TEST_CASE("the first screening asks for control runs at the same outcomes") {
  for (const Row& row : rows()) {
    INFO(row.what);
    const Verdict verdict = screen(evidence_of(row));
    // A dead eager process says nothing about the compiled run: that one needs its own.
    const bool look_again = std::string(row.rule) == "outcome.eager_died";
    CHECK(name(verdict.verdict) == name(look_again ? VerdictKind::inconsistent : row.verdict));
  }
}

TEST_CASE("documented refusals are excused by class or message under their name") {
  struct Refusal {
    const char *error_class, *message, *name;
  };
  for (const Refusal& refusal : std::vector<Refusal>{
           {"Unsupported", "Data-dependent branching", "fullgraph_graph_break"},
           {"torch._dynamo.exc.Unsupported", "x", "fullgraph_graph_break"},
           {"UserError", "Could not guard on data-dependent expression Eq(u0, 0)", "user_error"},
           {"ConstraintViolationError", "Constraints violated (L['x'].size()[0])", "constraint_violation"},
           {"RuntimeError", "torch.compile with aot_autograd does not currently support double backward",
            "double_backward"},
           {"RuntimeError", "Eq(Min(1, u0*u1), u4)", "assumed_size"},
           {"RuntimeError", "-u0 + 3 <= 0", "assumed_size"},
           {"RuntimeError", "Expected u32 >= 2 but received 1", "assumed_size"},
           {"RuntimeError", "Runtime assertion failed for expression Eq(u2, 1) on node 'eq_3'", "assumed_size"},
           {"RuntimeError",
            "The size of tensor a (u0) must match the size of tensor b (4) at non-singleton dimension 0)",
            "assumed_size"},
           {"RuntimeError",
            "The size of tensor a (4) must match the size of tensor b (2*u0) at non-singleton dimension 0)",
            "assumed_size"},
           {"RuntimeError",
            "RuntimeError when making fake tensor call\n  Explanation: Dynamo failed to run FX node with fake tensors: "
            "got "
            "RuntimeError('The size of tensor a (u0) must match the size of tensor b (4) at non-singleton dimension "
            "0)')",
            "assumed_size"},
           {"GuardOnDataDependentSymNode", "Could not extract specialized integer from data-dependent expression u0",
            "data_dependent"},
           {"GuardOnDataDependentSymNode",
            "backend='inductor' raised:\nGuardOnDataDependentSymNode: Could not guard on data-dependent expression u0 "
            "< 0\n\nCaused by: (_functorch/_aot_autograd/graph_capture_wrappers.py:1534 in functional_call)",
            "data_dependent"},
           {"RuntimeError", "The size of tensor a (2*Max(1, u0)) must match the size of tensor b (4) at dimension 0",
            "assumed_size"},
           {"AssertionError",
            "queue_callback() is only supported when Compiled Autograd is enabled with fullgraph=True",
            "compiled_autograd_callback"},
           {"InductorError",
            "AssertionError: fallback kernels with runtime lookup currently only support tensor returns",
            "cpp_wrapper_returns"},
           {"UncapturedHigherOrderOpError", "Cond doesn't work unless", "higher_order_body"},
       }) {
    CAPTURE(refusal.error_class, refusal.message);
    const Verdict verdict =
        judge(evidence_of({"", ran(), raised(Step::compile, refusal.error_class, refusal.message), {}, {}, ""}));
    CHECK(verdict.verdict == VerdictKind::excused);
    CHECK(verdict.rule == std::string("documented.") + refusal.name);
    CHECK(verdict.explanation.find(refusal.name) != std::string::npos);
  }
}

TEST_CASE("what the C++ wrapper does not implement is excused as its refusal") {
  Outcome raising = raised(Step::compile, "NotImplementedError", "arg type List[int] is not yet supported");
  const auto rule = [&](const char* frame) {
    raising.error->compiler_frame = frame;
    return judge(evidence_of({"", ran(), raising, {}, {}, ""})).rule;
  };
  CHECK(rule("cpp_wrapper_cpu.py:generate_py_arg_inner") == "documented.cpp_wrapper_limit");
  CHECK(rule("cpp.py:codegen") == "outcome.compiled_raises");
}

TEST_CASE("an error that only resembles a refusal is a finding") {
  for (const auto& [error_class, message] : std::vector<std::pair<const char*, const char*>>{
           {"NotUnsupported", "x"},
           {"InductorError", "GuardOnDataDependentSymNode: Could not guard on data-dependent expression"},
           {"TorchRuntimeError", "RuntimeError when making fake tensor call"},
           {"RuntimeError", "double backward went wrong"},
           {"RuntimeError", "Runtime assertion failed for expression Eq(s0, 4) on node 'eq_3'"},
           {"RuntimeError", "Eq(s0, 4)"},
           {"RuntimeError",
            "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0"},
           {"RuntimeError",
            "The size of tensor a (s0) must match the size of tensor b (4) at non-singleton dimension 0"},
           {"GuardOnDataDependentSymNode",
            "backend='inductor' raised:\nLoweringException: GuardOnDataDependentSymNode: Could not guard on u0 < 0"},
           {"GuardOnDataDependentSymNode",
            "backend='inductor' raised:\nGuardOnDataDependentSymNode: Could not guard on data-dependent expression u0 "
            "< 0\n\n"
            "Caused by: (_inductor/fx_passes/pad_mm.py:90 in check_dtype)"},
           {"RuntimeError", "the size u0 is not what it was"},
           {"AssertionError", "u15 -> u0"},
       }) {
    CAPTURE(error_class, message);
    CHECK(judge(evidence_of({"", ran(), raised(Step::compile, error_class, message), {}, {}, ""})).kind ==
          Kind::behaviour);
  }
}

TEST_CASE("a check of values that rounding can trigger counts only if it differs in double and under precision casts") {
  const Outcome own = with_source(raised(Step::forward, "ValueError", "above 1"), "raise ValueError('above 1')");
  Evidence evidence = round_of();
  evidence.outcomes[Mode::eager] = evidence.outcomes[Mode::eager_repeat] = own;

  SECTION("everything else runs: rounding") {
    CHECK(judge(evidence).verdict == VerdictKind::excused);
    CHECK(judge(evidence).rule == "outcome.rounding_decides");
  }
  SECTION("without a double run nothing can tell") {
    evidence.outcomes.erase(Mode::reference);
    CHECK(judge(evidence).rule == "outcome.rounding_decides");
  }
  SECTION("the double runs part as well: a lost check") {
    evidence.outcomes[Mode::reference] = own;
    CHECK(judge(evidence).kind == Kind::missing_check);
  }
  SECTION("compiled raises the program's own error, everything else runs") {
    evidence.outcomes[Mode::eager] = evidence.outcomes[Mode::eager_repeat] = ran(0);
    evidence.outcomes[Mode::inductor] = own;
    CHECK(judge(evidence).rule == "outcome.rounding_decides");
    evidence.outcomes[Mode::inductor_precise] = evidence.outcomes[Mode::inductor_fp64] = own;
    CHECK(judge(evidence).kind == Kind::behaviour);
  }
  SECTION("a singular matrix") {
    evidence.outcomes[Mode::eager] = evidence.outcomes[Mode::eager_repeat] =
        raised(Step::forward, "_LinAlgError", "linalg.inv: The diagonal element 3 is zero");
    CHECK(judge(evidence).rule == "outcome.rounding_decides");
  }
  SECTION("an operator's own check does not hang on rounding") {
    evidence.outcomes[Mode::eager] = evidence.outcomes[Mode::eager_repeat] = kIndexError;
    CHECK(judge(evidence).kind == Kind::missing_check);
  }
  SECTION("the cheap screen leaves it to confirmation") { CHECK(screen(evidence).kind == Kind::missing_check); }
}

TEST_CASE("a program is unstable if eager ends differently the second time") {
  Evidence evidence = round_of();
  evidence.outcomes[Mode::eager] = kIndexError;
  CHECK(judge(evidence).rule == "stability.eager_repeat");
  evidence.outcomes[Mode::eager_repeat] = kIndexError;
  CHECK(judge(evidence).kind == Kind::missing_check);
}

TEST_CASE("evidence with a side missing is never a finding") {
  Evidence evidence;
  CHECK(judge(evidence).rule == "outcome.incomplete");
  evidence.outcomes[Mode::eager] = kIndexError;
  CHECK(judge(evidence).verdict == VerdictKind::unstable);
  CHECK(screen(evidence).verdict == VerdictKind::unstable);
  evidence.outcomes[Mode::eager] = raised(Step::inputs, "TypeError", "x");
  CHECK(screen(evidence).verdict == VerdictKind::invalid);
}

TEST_CASE("the program's own compiled mode is judged") {
  Evidence evidence = round_of(Mode::inductor_dynamic);
  measure(evidence, Mode::eager, Mode::inductor_dynamic, {same_leaf("output")});
  CHECK(judge(evidence).verdict == VerdictKind::consistent);
  evidence.outcomes[Mode::inductor_dynamic] = kLowering;
  CHECK(judge(evidence).kind == Kind::behaviour);
}

TEST_CASE("explanations quote the first line of a message without cutting a character") {
  std::string message = "first";
  for (int i = 0; i < 200; ++i) message += "é";
  const Verdict verdict = judge(evidence_of({"", ran(), raised(Step::compile, "E", message + "\nsecond"), {}, {}, ""}));
  CHECK(verdict.explanation.find("second") == std::string::npos);
  CHECK(verdict.explanation.find("\xc3…") == std::string::npos);
  CHECK(verdict.explanation.find("é…") != std::string::npos);
  const Outcome wrapped = raised(Step::compile, "RuntimeError", "backend='inductor' raised:\nRuntimeError: view\nmore");
  CHECK(judge(evidence_of({"", ran(), wrapped, {}, {}, ""})).explanation ==
        "Eager runs; the compiled program raises RuntimeError: view in step compile.");
}

}  // namespace parityd::oracle::test
