// Prompts that give a model source text to read.
#include "prompts/reading.h"

#include <algorithm>

#include "prompts/source_text.h"
#include "tests/catch.h"

using namespace parityd::prompts;

namespace {

using Kind = DifferenceLine::Kind;

const PromptSet& shipped() {
  static const PromptSet kPrompts = load_prompts(PARITYD_SOURCE_DIR "/prompts", {}).value();
  return kPrompts;
}

bool holds(const std::string& text, const std::string& piece) { return text.find(piece) != std::string::npos; }

ReadingFacts facts() {
  return {
      .torch = "2.14.1",
      .torch_before = "2.13.0",
      .area = "lowerings",
      .units =
          {{.file = "_inductor/lowering.py",
            .name = "double_up",
            .first_line = 98,
            .registers = {"register_lowering(aten.double_up)", "register_elsewhere(double_up)"},
            .text = "@register_lowering(aten.double_up)\ndef double_up(x):\n    return x + x\n",
            .before = "@register_lowering(aten.double_up)\ndef double_up(x):\n    return x * 2\n"},
           {.file = "_inductor/lowering.py", .name = "Layout.size", .first_line = 200, .text = "def size(self):\n"}},
      .helpers = {{.file = "_inductor/utils.py", .name = "is_small", .first_line = 7, .text = "def is_small(x):\n"}},
      .promises = {"aten::double_up(Tensor self) -> Tensor"},
      .tried = {{.text = "loses the sign of zero", .outcome = "compiled agrees with eager"}}};
}

std::string words(const std::vector<DifferenceLine>& lines) {
  std::string text;
  for (const auto& line : lines) {
    text += (line.kind == Kind::kept ? " " : line.kind == Kind::gone ? "-" : "+") + line.text;
  }
  return text;
}

}  // namespace

TEST_CASE("difference: it has as few lines as possible") {
  CHECK(words(difference("a\nb\nc\n", "a\nb\nc\n")) == " a b c");
  CHECK(words(difference("a\nb\nc\nd\n", "a\nx\nc\nd\n")) == " a-b+x c d");
  CHECK(words(difference("a\nb\nc\nd\ne\n", "b\nc\nx\nd\n")) == "-a b c+x d-e");
  CHECK(words(difference("", "a\nb\n")) == "+a+b");
  CHECK(words(difference("a\na\na\n", "a\na\n")) == " a a-a");
}

TEST_CASE("difference: texts of thousands of lines with nothing in common are not compared") {
  std::string before;
  std::string now;
  for (int line = 0; line < 6000; ++line) {
    before += "old " + std::to_string(line) + "\n";
    now += "new " + std::to_string(line) + "\n";
  }
  const auto lines = difference(before, now);
  CHECK(lines.size() == 12'000);
  CHECK(lines.front().kind == Kind::gone);
  CHECK(lines.back().kind == Kind::added);
}

TEST_CASE("reading: a chapter has its files, line numbers, and registrations of functions elsewhere") {
  const std::string text = numbered(facts().units, 10'000);
  CHECK(
      text ==
      "torch/_inductor/lowering.py\n\n```\n# register_elsewhere(double_up)\n   98  @register_lowering(aten.double_up)\n"
      "   99  def double_up(x):\n  100      return x + x\n\n# class Layout\n  200  def size(self):\n```");
}

TEST_CASE("reading: a function longer than the budget is cut and marked") {
  std::vector<SourceText> units{{.file = "a.py", .name = "f", .text = "def f():\n"}};
  for (int line = 0; line < 500; ++line) units[0].text += "    x = x + 1\n";
  const std::string text = numbered(units, 2'000);
  CHECK(text.size() < 2'200);
  CHECK(holds(text, "[cut] The rest of this function was left out for its length."));
}

TEST_CASE("reading: changed text stands beside the old text, and distant lines are omitted") {
  auto unit = facts().units[0];
  CHECK(
      holds(compared({unit}, 10'000), "   99  def double_up(x):\n      -    return x * 2\n  100 +    return x + x\n"));
  std::string many;
  for (int line = 0; line < 200; ++line) many += "    pass\n";
  unit.text = many + unit.text;
  unit.before = many + unit.before;
  const std::string text = compared({unit}, 10'000);
  CHECK(holds(text, "      …\n"));
  CHECK(std::ranges::count(text, '\n') < 60);
  CHECK(holds(text, "  300 +    return x + x\n"));
  unit.before.clear();
  INFO("what is new has no old text");
  CHECK(holds(compared({unit}, 10'000), "   98 +    pass\n"));
}

TEST_CASE("reading: the shipped strategies contain chapter, guarantees and earlier attempts, the request last") {
  for (const Reads reads : {Reads::chapter, Reads::change}) {
    const Strategy* strategy = shipped().reading(reads);
    REQUIRE(strategy != nullptr);
    CAPTURE(strategy->name);
    const std::string prompt = render_reading(*strategy, facts());
    CHECK_FALSE(holds(prompt, "{{"));
    CHECK_FALSE(holds(prompt, "\n\n\n"));
    const auto at = [&](const std::string& piece) {
      CAPTURE(piece);
      REQUIRE(holds(prompt, piece));
      return prompt.find(piece);
    };
    CHECK(at("2.14.1") < at("def double_up"));
    CHECK(at("def double_up") < at("def is_small"));
    CHECK(at("def is_small") < at("aten::double_up"));
    CHECK(at("aten::double_up") < at("- compiled agrees with eager: loses the sign of zero"));
    CHECK(at("loses the sign of zero") < at("hypothesis (check):"));
    CHECK(holds(prompt, "      -    return x * 2") == (reads == Reads::change));
    CHECK(holds(prompt, "2.13.0") == (reads == Reads::change));
    CHECK(render_reading(*strategy, {.torch = "2.14.1"}).find("supposed here before") == std::string::npos);
  }
}

TEST_CASE("reading: other material has its own request") {
  auto given = facts();
  given.known = {"cat: layout"};
  const auto asked = [&](Reads what) { return render_reading(*shipped().reading(what), given); };
  CHECK(holds(asked(Reads::kin), "\n\n- cat: layout\n\n"));
  CHECK(holds(asked(Reads::promises), "sentence by sentence"));
  CHECK(holds(asked(Reads::samples), "PyTorch's own tests compile these very samples"));
  for (const Reads what : {Reads::kin, Reads::promises, Reads::samples}) {
    CHECK_FALSE(holds(asked(what), "{{"));
    CHECK(asked(what).find("def double_up") < asked(what).find("loses the sign of zero"));
  }
}

TEST_CASE("reading: later attempts do not change the text before them") {
  const Strategy* strategy = shipped().reading(Reads::chapter);
  auto later = facts();
  later.tried.insert(later.tried.begin(), {.text = "another", .outcome = "no program"});
  const std::string first = render_reading(*strategy, facts());
  const auto fixed = first.find("- compiled agrees");
  CHECK(render_reading(*strategy, later).substr(0, fixed) == first.substr(0, fixed));
}

TEST_CASE("reading: a model with a small context window gets less") {
  auto long_facts = facts();
  for (int line = 0; line < 3000; ++line) long_facts.units[0].text += "    x = x + 1\n";
  const Strategy* strategy = shipped().reading(Reads::chapter);
  CHECK(render_reading(*strategy, long_facts, Quoting::trimmed).size() < 8'000);
  for (int another = 0; another < 30; ++another) long_facts.units.push_back(long_facts.units[0]);
  CHECK(render_reading(*strategy, long_facts, Quoting::trimmed).size() < 12'000);
  CHECK(render_reading(*strategy, long_facts).size() > 40'000);
}

TEST_CASE("reading: the reader's contract asks for what the extractor accepts") {
  CHECK(holds(shipped().reader, "\nhypothesis: "));
  CHECK(holds(shipped().reader, "def get_inputs()"));
  CHECK(holds(shipped().reader, "hypothesis (check):"));
  CHECK(holds(shipped().reader, "inductor_config"));  // a setting made in code is held(patched)
}
