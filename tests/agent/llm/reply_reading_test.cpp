// All programs of a reply to a reading, with their hypotheses.
#include <filesystem>

#include "agent/llm/reply.h"
#include "tests/agent/llm/builders.h"
#include "tests/catch.h"

namespace parityd::agent {
namespace {

std::string program(const std::string& operation) {
  return "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return " + operation +
         "\n\n\ndef get_inputs():\n    return [torch.ones(3)]\n";
}

std::string fenced(const std::string& text) { return "```python\n" + text + "```\n"; }

std::string recorded(const std::string& name) {
  return testing::read_file(std::string(PARITYD_SOURCE_DIR "/tests/agent/llm/readings/") + name);
}

std::vector<std::string> hypotheses(const ExtractedReading& reading) {
  std::vector<std::string> all;
  all.reserve(reading.hypotheses.size());
  for (const auto& each : reading.hypotheses) all.push_back(each.hypothesis);
  return all;
}

int programs(const ExtractedReading& reading) {
  int count = 0;
  for (const auto& each : reading.hypotheses) count += each.program.empty() ? 0 : 1;
  return count;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("reading: each program gets the hypothesis before it, and hypotheses without a program are kept") {
  const auto found =
      extract_reading("hypothesis: a.py:f: one\n\n" + fenced(program("x + 1")) + "\nhypothesis: a.py:g: two\n" +
                          fenced(program("x + 2")) + "\nhypothesis: a.py:h: three\nhypothesis: a.py:i: four\n",
                      Finish::stop, 1);
  CHECK(found.klass == ReplyClass::program);
  CHECK(hypotheses(found) == Words{"a.py:f: one", "a.py:g: two", "a.py:h: three", "a.py:i: four"});
  CHECK(found.hypotheses[0].program == program("x + 1"));
  CHECK(found.hypotheses[1].program == program("x + 2"));
  CHECK(found.hypotheses[2].program.empty());
  CHECK(found.hypotheses[3].place == 4);
}

TEST_CASE("reading: a label may be decorated, and a hypothesis may be wrapped or inside the program") {
  for (const char* label : {"Hypothesis: ", "**Hypothesis 1:** ", "### Hypothesis 1\n\n", "1. hypothesis - ",
                            "HYPOTHESIS: ", "> hypothesis: ", "- **hypothesis**: "}) {
    CAPTURE(label);
    std::string text = label;
    if (text.ends_with("\n\n")) text.insert(text.size() - 2, ":");
    const auto found =
        extract_reading(text + "the dtype\nis lost\n\nSome prose.\n" + fenced(program("x")), Finish::stop, 1);
    CHECK(hypotheses(found) == Words{"the dtype is lost"});
    CHECK(programs(found) == 1);
  }
  CHECK(hypotheses(extract_reading(fenced("# hypothesis: inside\n" + program("x")), Finish::stop, 1)) ==
        Words{"inside"});
}

TEST_CASE("reading: a truncated reply yields its complete parts") {
  const std::string whole = "hypothesis: one\n" + fenced(program("x + 1"));
  const auto found = extract_reading(whole + "hypothesis: two\n```python\n" + program("x + 2"), Finish::length, 1);
  CHECK(hypotheses(found) == Words{"one", "two"});
  CHECK(programs(found) == 1);
  INFO("where there is no other, the rest is left to salvage");
  const auto only = extract_reading("hypothesis: one\n```python\n" + program("x + 1") + "def more(", Finish::length, 1);
  REQUIRE(programs(only) == 1);
  CHECK(only.hypotheses[0].truncated);
  CHECK(extract_reading(whole + "hypothesis: tw", Finish::length, 1).hypotheses.size() == 2);
}

TEST_CASE("reading: the number of programs about checks alone is capped, their hypotheses are kept") {
  std::string text;
  for (int each = 0; each < 3; ++each) {
    text += "hypothesis (check): eager raises " + std::to_string(each) + "\n" + fenced(program("x")) + "\n";
  }
  text += "hypothesis: wrong values\n" + fenced(program("x + 1"));
  const auto found = extract_reading(text, Finish::stop, 1);
  CHECK(hypotheses(found) == Words{"eager raises 0", "eager raises 1", "eager raises 2", "wrong values"});
  CHECK(found.hypotheses[0].check);
  CHECK_FALSE(found.hypotheses[0].program.empty());
  CHECK(found.hypotheses[1].program.empty());
  CHECK_FALSE(found.hypotheses[3].program.empty());
  CHECK(extract_reading("hypothesis (check): raises\n" + fenced(program("x")), Finish::stop, 0).klass ==
        ReplyClass::no_code);
}

TEST_CASE("reading: replies without a program are classified") {
  CHECK(extract_reading("", Finish::stop, 1).klass == ReplyClass::empty);
  CHECK(extract_reading("hypothesis: a\nhypothesis: b\n", Finish::stop, 1).klass == ReplyClass::no_code);
  CHECK(extract_reading("hypothesis: a\n", Finish::refusal, 1).klass == ReplyClass::refusal);
  INFO("what a single reply may do, a reading may, too");
  const auto bare = extract_reading(program("x"), Finish::stop, 1);
  CHECK(programs(bare) == 1);
  CHECK(bare.hypotheses[0].hypothesis.empty());
}

TEST_CASE("reading: replies with several programs in the usual formats of models are parsed") {
  const auto plain = extract_reading(recorded("plain.md"), Finish::stop, 1);
  CHECK(programs(plain) == 3);
  CHECK(plain.hypotheses.size() == 5);
  CHECK(plain.hypotheses[0].hypothesis.starts_with("_inductor/sample.py:double_up:14:"));
  const auto decorated = extract_reading(recorded("decorated.md"), Finish::stop, 1);
  CHECK(programs(decorated) == 2);
  for (const auto& each : decorated.hypotheses) CHECK_FALSE(each.hypothesis.empty());
  const auto cut = extract_reading(recorded("cut.md"), Finish::length, 1);
  CHECK(programs(cut) == 2);
  CHECK(cut.hypotheses.size() == 3);
}

TEST_CASE("reading: hostile text is parsed in linear time") {
  std::string many;
  while (many.size() < (std::size_t{3} << 20)) many += "hypothesis: x\n";
  CHECK(extract_reading(many, Finish::stop, 1).hypotheses.size() == 40);
  CHECK(extract_reading("hypothesis: " + many, Finish::stop, 1).hypotheses.front().hypothesis.size() <= 1000);
  std::string accents = "hypothesis: ";
  while (accents.size() < 3000) accents += "\xc3\xa9";
  CHECK(extract_reading(accents, Finish::stop, 1).hypotheses.front().hypothesis.size() % 2 == 0);
}

}  // namespace parityd::agent
