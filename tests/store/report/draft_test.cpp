// The text of an issue, for each kind of finding.
#include <re2/re2.h>

#include <fstream>

#include "store/base/text.h"
#include "tests/catch.h"
#include "tests/store/facts.h"
#include "tests/store/fixture.h"
#include "tests/text.h"

using namespace parityd;
using namespace parityd::tests;
using oracle::Kind;

namespace {

const std::filesystem::path kTemplate = std::filesystem::path(PARITYD_SOURCE_DIR) / "store" / "draft.mustache";
constexpr const char* kProgram = "import torch\n\n\nclass Model(torch.nn.Module):\n    pass\n";

/// The text outside of fenced blocks and inline code: what GitHub interprets.
std::string interpreted(const std::string& body) {
  std::string result, fence;
  std::size_t at = 0;
  while (at < body.size()) {
    const std::size_t end = std::min(body.find('\n', at), body.size());
    std::string line = body.substr(at, end - at);
    at = end + 1;
    const std::size_t ticks = std::min(line.find_first_not_of('`'), line.size());
    if (fence.empty() && ticks >= 3) {
      fence = line.substr(0, ticks);
    } else if (!fence.empty() && line == fence) {
      fence.clear();
    } else if (fence.empty()) {
      RE2::GlobalReplace(&line, "`[^`]*`", "");
      result += line + "\n";
    }
  }
  CHECK(fence.empty());
  return result;
}

std::vector<std::string> headings(const std::string& body) {
  std::vector<std::string> found;
  std::istringstream lines(interpreted(body));
  for (std::string line; std::getline(lines, line);) {
    if (RE2::PartialMatch(line, "^ {0,3}#{1,6}( |$)")) found.push_back(line);
  }
  return found;
}

/// What must hold for every draft.
void check_form(const store::DraftRow& draft) {
  CAPTURE(draft.title, draft.body);
  CHECK(headings(draft.body) == std::vector<std::string>{"### 🐛 Describe the bug", "### Error logs", "### Versions"});
  CHECK(contains(draft.body.substr(0, draft.body.find('\n')), "no newer version"));
  CHECK(contains(draft.body, "What I checked myself"));
  CHECK(contains(draft.body, "AI-assisted"));
  CHECK(contains(draft.body, "3 of 3 rounds"));
  CHECK(contains(draft.body, draft.repro));
  CHECK(contains(draft.body, "PyTorch version: 2.13.0+cpu"));
  CHECK(store::characters(draft.title) <= 120);
  CHECK(store::characters(draft.body) <= 65'536);
  CHECK(store::clean_text(draft.body) == draft.body);
  const std::string outside = interpreted(draft.body);
  CHECK_FALSE(RE2::PartialMatch(outside, "@[A-Za-z]"));
  CHECK_FALSE(RE2::PartialMatch(outside, "#[0-9]"));
  CHECK_FALSE(contains(outside, "{{"));
  std::string html = outside;
  for (const std::string ours : {"<details>", "</details>", "<summary>", "</summary>"}) {
    for (auto at = html.find(ours); at != std::string::npos; at = html.find(ours)) html.erase(at, ours.size());
  }
  CHECK_FALSE(RE2::PartialMatch(html, "(^|[^\\\\])<[A-Za-z/!]"));
}

store::DraftRow draft_of(const store::DraftFacts& facts) { return store::render_draft(facts, kTemplate, 5); }

}  // namespace

TEST_CASE("a draft of a numerical finding shows numbers, the function same and the ablation") {
  const auto draft = draft_of(facts_of(Kind::numerical, kProgram, R"({"dynamic": true})"));
  check_form(draft);
  CHECK(draft.title == "[inductor] max: compiled output differs from eager (CPU, dynamic=True)");
  const auto threads = draft_of(facts_of(Kind::numerical, kProgram, R"({"threads": 8})"));
  CHECK(threads.title == "[inductor] max: compiled output differs from eager (CPU, 8 threads)");
  CHECK(contains(draft.body, "| `output[0]` | int8 | 4 | 2 | 3 | 1 | – | 2.5 | `2 of 4 elements differ` |"));
  CHECK(contains(draft.body, "| `output[0]` | int8 | – | – | – | False |"));  // evidence of an older parityd
  CHECK(contains(draft.body, "says **False**"));
  CHECK(contains(draft.body, "| `backend=\"aot_eager\"` | same as eager |"));
  CHECK(contains(draft.body, "| `backend=\"inductor\"` | differs from eager (max abs 3) |"));
  CHECK(contains(draft.body, "the first that differs from eager is `backend=\"inductor\"`"));
  CHECK(contains(draft.body, "Nothing is raised"));
  CHECK(draft.created_at == 5);
}

TEST_CASE("a stage that gives another shape does not differ in metadata only") {
  auto facts = facts_of(Kind::numerical, kProgram);
  for (auto& measurement : facts.rounds.front().evidence.measurements) {
    for (auto& leaf : measurement.leaves) leaf = {.path = leaf.path, .shape_differs = true};
  }
  CHECK(contains(draft_of(facts).body, "| `backend=\"inductor\"` | differs from eager, in shape |"));
}

TEST_CASE("a draft of a behaviour finding shows the exception") {
  const auto draft = draft_of(facts_of(Kind::behaviour, kProgram));
  check_form(draft);
  CHECK(draft.title == "[inductor] max: compiled raises InductorError: lowering of x failed (CPU)");
  CHECK(contains(draft.body, "| runs | raises `InductorError: lowering of x failed` | not run |"));
  CHECK(contains(draft.body, "```text\nTraceback (most recent call last):"));
  CHECK_FALSE(contains(draft.body, "| leaf |"));
}

TEST_CASE("an error that eager's program catches is described as such and not searched for by its operator") {
  auto facts = facts_of(Kind::behaviour, kProgram);
  auto& round = facts.rounds.front();
  round.evidence.outcomes[oracle::Mode::inductor].error->message =
      "call_function torch.max(*(1,), **{}): got RuntimeError('no max')";
  const std::string uncaught = draft_of(facts).body;
  CHECK(contains(uncaught, "The program runs in eager mode and raises when compiled."));
  facts.finding.reduced =
      "def forward(self, x):\n    try:\n        x = x.max()\n    except RuntimeError:\n        pass\n";
  const oracle::Shown shown{.verdict = round.verdict, .evidence = round.evidence, .stage = oracle::Stage::dynamo_eager};
  facts.finding.signature = oracle::signature_of_caught_error(shown, facts.finding.reduced).value();
  const auto draft = draft_of(facts);
  CHECK(contains(draft.title, "max: compiled raises past the program's except: "));
  CHECK(contains(draft.body, "Eager execution catches this error and continues;"));
  const auto query = store::known_query(shown, facts.finding);
  CHECK(query.operators == std::vector<std::string>{"except"});
  CHECK(query.called.empty());
  CHECK_FALSE(store::known_query(shown, facts_of(Kind::behaviour, kProgram).finding).operators.empty());
}

TEST_CASE("documentation is linked for operators in the program, not for its own methods or a decomposition") {
  auto facts = facts_of(Kind::behaviour,
                        "class Model(torch.nn.Module):\n    def max(self, x):\n        return torch.relu(x)\n\n"
                        "    def forward(self, x):\n        return self.max(x)\n");
  facts.rounds.front().evidence.outcomes[oracle::Mode::inductor].operators = {"aten.relu.default",
                                                                              "aten.clamp.default"};
  const std::string body = draft_of(facts).body;
  CHECK(contains(body, "* `relu` "));
  CHECK_FALSE(contains(body, "* `max` "));
  CHECK_FALSE(contains(body, "* `clamp` "));
}

TEST_CASE("known issues are also searched by the place where the compiler raised") {
  auto facts = facts_of(Kind::behaviour, kProgram);
  auto& round = facts.rounds.front();
  auto& error = *round.evidence.outcomes[oracle::Mode::inductor].error;
  error.message = "";
  error.compiler_frame = "tiling_utils.py:get_pw_red_splits";
  const auto query = store::known_query(
      {.verdict = round.verdict, .evidence = round.evidence, .stage = oracle::Stage::inductor}, facts.finding);
  CHECK(query.message == error.inner_class + ":  in tiling_utils.py:get_pw_red_splits");
  const std::vector<store::KnownIssue> issues{{.number = 1, .kind = Kind::behaviour, .error = "no such"},
                                              {.number = 2, .kind = Kind::behaviour, .error = "get_pw_red_splits"}};
  const auto matches = store::match_known(query, issues);
  REQUIRE(matches.size() == 1);
  CHECK(matches.front().issue == 2);
}

TEST_CASE("known issues are not searched by the kernel in a Triton error") {
  auto facts = facts_of(Kind::behaviour, kProgram);
  auto& round = facts.rounds.front();
  round.evidence.outcomes[oracle::Mode::inductor].error->message =
      "at 2:4:\n    tl.device_assert(tmp4 < 8, \"index out of bounds\")\n    tl.atomic_add(out_ptr0, tmp6)\n    ^\n"
      "atomic_add does not support int8\n";
  const auto query = store::known_query(
      {.verdict = round.verdict, .evidence = round.evidence, .stage = oracle::Stage::inductor}, facts.finding);
  CHECK(contains(query.message, "atomic_add does not support int8"));
  CHECK_FALSE(contains(query.message, "out of bounds"));
}

TEST_CASE("a title names a mode as users write it") {
  auto facts = facts_of(Kind::numerical, kProgram);
  const auto ends = [&](const char* options) {
    facts.options_json = options;
    const std::string title = draft_of(facts).title;
    return title.substr(title.rfind('('));
  };
  CHECK(ends(R"({"mode": "inductor"})") == "(CPU)");
  CHECK(ends(R"({"mode": "inductor_max_autotune"})") == "(CPU, mode=max-autotune)");
  CHECK(ends(R"({"mode": "inductor_dynamic", "dynamic": true})") == "(CPU, dynamic=True)");
  CHECK(ends(R"({"mode": "inductor_cpp_wrapper"})") == "(CPU, cpp_wrapper)");
  CHECK(ends(R"({"mode": "inductor_memory_budget", "backward": true})") ==
        "(CPU, backward, activation_memory_budget=0.3)");
  CHECK(ends(R"({"mode": "aot_inductor", "dynamic": true})") == "(CPU, dynamic=True, AOTInductor)");
}

TEST_CASE("a draft about an exported program mentions exports") {
  auto facts = facts_of(Kind::numerical, kProgram, R"({"mode": "exported_decomposed"})");
  facts.stages = facts.rounds.front().evidence;
  const auto with = [&](oracle::Stage stage) {
    facts.finding.stage = stage;
    return draft_of(facts);
  };
  const auto first = with(oracle::Stage::dynamo_eager);
  CHECK(first.title.starts_with("[export] "));
  CHECK(first.body.find("**Stages**: the first that differs from eager is `torch.export`, `module()`.") !=
        std::string::npos);
  CHECK(first.body.find("| `run_decompositions()` with Inductor's table |") != std::string::npos);
  CHECK(with(oracle::Stage::inductor).title.starts_with("[aotinductor] "));
}

TEST_CASE("a title names the operator without which the difference vanishes, not those of the graph") {
  auto facts = facts_of(Kind::numerical, kProgram);
  const auto title = [&](const char* neutraliser) {
    facts.attribution = store::AttributionRow{.neutraliser = neutraliser};
    return draft_of(facts).title;
  };
  facts.rounds.front().evidence.outcomes[oracle::Mode::inductor].operators = {"aten.amax.default", "aten.sort.default"};
  CHECK(title("lowering aten.sort.default") == "[inductor] sort: compiled output differs from eager (CPU)");
  CHECK(title("decomposition aten.huber_loss.default") ==
        "[inductor] huber_loss: compiled output differs from eager (CPU)");
  CHECK(title("lowering aten.sort.default; lowering aten.sort.stable; pass_group post_grad") ==
        "[inductor] sort: compiled output differs from eager (CPU)");
  CHECK(title("config inductor.max_fusion_size=1") ==
        "[inductor] amax, sort: compiled output differs from eager (CPU)");
  CHECK(title("partition written_inputs") == "[partitioner] amax, sort: compiled output differs from eager (CPU)");
  facts.finding.kind = Kind::gradient;
  CHECK(title("partition written_inputs") ==
        "[partitioner] gradients differ: backward reads an input after forward wrote it in place (CPU)");
  facts = facts_of(Kind::missing_check, kProgram);
  auto& operator_called = facts.rounds.front().evidence.outcomes[oracle::Mode::eager].error->user_operator;
  for (const auto& [called, named] : {std::pair{"index_add", "index_add"}, {"call", "max"}, {"", "max"}}) {
    operator_called = called;
    CHECK(title("") == std::string("[inductor] ") + named +
                           ": compiled accepts what eager rejects (RuntimeError: index out of range) (CPU)");
  }
}

TEST_CASE("an error is shown by its message, or by its place if it has none") {
  auto facts = facts_of(Kind::behaviour, kProgram);
  auto& error = *facts.rounds.front().evidence.outcomes[oracle::Mode::inductor].error;
  error.compiler_frame = "scheduler.py:fuse";
  struct Row {
    const char *outer, *message, *shown;
  };
  for (const Row& row : std::vector<Row>{
           {"InductorError", "LoweringException: KeyError: 'x'\n  target: aten.sort",
            "InductorError: LoweringException: KeyError: 'x'"},
           {"BackendCompilerFailed",
            "backend='inductor' raised:\nLoweringException: KeyError: 'x'\n  target: aten.sort",
            "LoweringException: KeyError: 'x'"},
           {"BackendCompilerFailed", "backend='inductor' raised: TypeError: no", "TypeError: no"},
           {"BackendCompilerFailed",
            "backend='inductor' raised:\nAssertionError: ", "AssertionError in scheduler.py:fuse"},
           {"BackendCompilerFailed", "backend='inductor' raised:\n", "BackendCompilerFailed in scheduler.py:fuse"},
           {"InductorError", "LoweringException: AssertionError: \n  target: aten.sort",
            "InductorError: LoweringException: AssertionError in scheduler.py:fuse"},
           {"AssertionError", "", "AssertionError in scheduler.py:fuse"},
           {"InductorError",
            "CompilationError: at 10:11:\ndef k(in_ptr0):\n    tmp2 = helpers.search(tmp0, 7)\n           ^\n"
            "at 4:4:\n    assert x.is_block()\n    ^\nAssertionError('a block is wanted')\n\nSet TORCHDYNAMO_VERBOSE=1",
            "Triton's AssertionError('a block is wanted')"},
           {"InductorError",
            "CompilationError: at 14:4:\n    tl.atomic_add(out_ptr0, tmp6)\n    ^\nints are not added\n\nSet "
            "TORCH_LOGS=",
            "Triton's CompilationError: ints are not added"},
           {"InductorError", "SyntaxError: no Python\n  File \"<string>\", line 1\n    f(\n     ^\nit says more",
            "InductorError: SyntaxError: no Python"},
           {"InductorError", "CompilationError: at 2:4:\n  y = f(x)\n      ^\n", "InductorError: CompilationError: f"},
           {"TypeError", "backend='inductor' is unknown", "TypeError: backend='inductor' is unknown"},
       }) {
    CAPTURE(row.message);
    error.outer_class = row.outer;
    error.message = row.message;
    const auto draft = draft_of(facts);
    CHECK(contains(draft.title, std::string("max: compiled raises ") + row.shown + " (CPU)"));
    CHECK(contains(draft.body, std::string("| runs | raises `") + row.shown + "` |"));
  }
  error.compiler_frame.clear();
  error.message.clear();
  error.outer_class = "AssertionError";
  CHECK(contains(draft_of(facts).title, "compiled raises AssertionError (CPU)"));
}

TEST_CASE("a draft of a missing check shows eager's error") {
  auto facts = facts_of(Kind::missing_check, kProgram, R"({"backward": true})");
  facts.finding.stage = oracle::Stage::aot_eager_decomp_partition;
  const auto draft = draft_of(facts);
  check_form(draft);
  CHECK(draft.title ==
        "[decomposition] max: compiled accepts what eager rejects (RuntimeError: index out of range) (CPU, backward)");
  CHECK(contains(draft.body, "| raises `RuntimeError: index out of range` | runs | not run |"));
  CHECK(contains(draft.body, "**Expected**: the error that eager raises, `RuntimeError: index out of range`."));
}

TEST_CASE("a draft of a crash shows signal and frame") {
  const auto draft = draft_of(facts_of(Kind::crash, kProgram));
  check_form(draft);
  CHECK(draft.title == "[inductor] max: compiled code crashes with signal 11 (CPU)");
  CHECK(contains(draft.body, "crashed with signal 11 in step start, innermost native frame at::native::max_kernel"));
}

TEST_CASE("a draft of every other kind has the same form") {
  for (const Kind kind : {Kind::metadata, Kind::mutation, Kind::gradient, Kind::hang}) {
    CAPTURE(oracle::name(kind));
    check_form(draft_of(facts_of(kind, kProgram)));
  }
}

TEST_CASE("hostile text in every field stays text") {
  const std::string hostile =
      "@pytorch/core #1 GH-2 </details><script>x</script> ``` ````\n```\n### Versions\n{{torch}} {{{repro}}} "
      "![i](http://x) \x1b[2J\x1b]0;t\x07 \xe2\x80\xae | ` \xff";
  for (const Kind kind : {Kind::numerical, Kind::behaviour, Kind::missing_check, Kind::crash}) {
    CAPTURE(oracle::name(kind));
    auto facts = facts_of(kind, "x = '''" + hostile + "'''\n");
    facts.finding.explanation = facts.finding.signature.text = facts.finding.torch = hostile;
    facts.environment.text += hostile;
    auto& round = facts.rounds.front();
    round.evidence.same = std::nullopt;
    round.evidence.same_detail = hostile;
    round.verdict.leaves.push_back(hostile);
    for (auto& [mode, outcome] : round.evidence.outcomes) {
      outcome.operators = {hostile};
      outcome.native_frame = hostile;
      if (outcome.error) outcome.error->inner_class = outcome.error->message = outcome.error->traceback = hostile;
    }
    for (auto& measurement : round.evidence.measurements) {
      measurement.leaves.push_back(differing_leaf(hostile));
      measurement.leaves.back().detail = hostile;
    }
    const auto draft = draft_of(facts);
    check_form(draft);
    CHECK_FALSE(contains(draft.title, "@p"));
    CHECK_FALSE(contains(draft.title, "#1"));
    CHECK(store::clean_text(draft.repro) == draft.repro);
  }
}

TEST_CASE("long text is cut and the draft says so") {
  auto facts = facts_of(Kind::behaviour, std::string(kProgram) + "# " + std::string(50'000, 'p') + "\n");
  facts.environment.text += std::string(40'000, 'e');
  facts.rounds.front().evidence.outcomes[oracle::Mode::inductor].error->traceback = std::string(90'000, 't');
  facts.finding.explanation = std::string(9'000, '#');
  facts.finding.signature.text = std::string(9'000, 's');
  const auto draft = draft_of(facts);
  CHECK(store::characters(draft.body) <= 65'536);
  const auto at = draft.body.find("Left out because of the length limit: ");
  REQUIRE(at != std::string::npos);
  const std::string said = draft.body.substr(at, draft.body.find('\n', at) - at);
  CAPTURE(said);
  CHECK(contains(said, "of the reproducer"));
  CHECK(contains(said, "of the error log"));
  CHECK(contains(said, "of the environment"));
  CHECK(headings(draft.body).size() == 3);
  CHECK(contains(draft.repro, std::string(50'000, 'p')));  // the script itself is whole
}

TEST_CASE("an error log contains no native frames and no local paths") {
  auto facts = facts_of(Kind::behaviour, kProgram);
  auto& error = *facts.rounds.front().evidence.outcomes[oracle::Mode::inductor].error;
  error.traceback =
      "Traceback (most recent call last):\n"
      "  File \"/opt/t/lib/python3.12/site-packages/torch/_dynamo/utils.py\", line 3, in run_node\n"
      "Failed to run FX node: got RuntimeError('Cannot call numel()\\nException raised from throw_it at "
      "/pytorch/c10/T.cpp:289 (most recent call first):\\nframe #0: c10::Error::Error(int) + 0x9d (0x7f in "
      "/opt/libc10.so)\\nframe #12: <unknown function> + 0x5 (0x7f in /opt/x.so)\\n')\n"
      "CUDA error\nException raised from h at a.cpp:1 (most recent call first):\nframe #0: a::b() + 0x1 (0x2 in c.so)\n"
      "frame #1: python3() [0x58216f]\n\nfrom user code:\n"
      "   File \"/root/state/scratch/workers/cpu/w6/jobs/328/p328.py\", line 7, in forward\n";
  error.message = "CUDA error";
  const auto body = draft_of(facts).body;
  CHECK(contains(body, "File \"torch/_dynamo/utils.py\", line 3"));
  CHECK(contains(body, "got RuntimeError('Cannot call numel()')\nCUDA error\n\nfrom user code:\n"));
  CHECK(contains(body, "File \"p328.py\", line 7, in forward"));
  CHECK_FALSE(contains(body, "frame #"));
}

TEST_CASE("an invalid template is named") {
  const Folder folder;
  const auto facts = facts_of(Kind::numerical, kProgram);
  const auto error_of = [&](const std::filesystem::path& file) {
    try {
      (void)store::render_draft(facts, file, 0);
    } catch (const store::StoreError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(contains(error_of(folder.path() / "none"), (folder.path() / "none").string()));
  std::ofstream(folder.path() / "broken") << "{{#open}}";
  CHECK(contains(error_of(folder.path() / "broken"), (folder.path() / "broken").string()));
}

TEST_CASE("a draft names the sandbox of its programs and the layers that were off") {
  auto facts = facts_of(Kind::numerical, kProgram);
  CHECK_FALSE(contains(draft_of(facts).body, "sandbox"));  // not known
  facts.environment.sandbox = "reduced: seccomp, landlock; off: user (EPERM), @mount (<no> user)";
  const auto draft = draft_of(facts);
  check_form(draft);
  const auto versions = draft.body.substr(draft.body.find("### Versions"));
  CHECK(contains(versions, "The programs ran in a sandbox (level reduced; off: user (EPERM), "));
  CHECK_FALSE(contains(versions, "@mount"));
  CHECK_FALSE(contains(versions, "<no>"));
}
