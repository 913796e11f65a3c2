// The question to a model about a finding, and the second one.
#include "agent/fixing/fix_prompt.h"

#include "tests/catch.h"
#include "tests/text.h"

using namespace parityd;
using namespace parityd::agent;
using tests::contains;

namespace {

FunctionSource function(std::string name, std::string text, int lines = 2) {
  return {.function = {.file = "torch/_inductor/lowering.py",
                       .name = std::move(name),
                       .first_line = 7,
                       .last_line = 6 + lines,
                       .calls = 2,
                       .operators = {"aten.cat.default"}},
          .text = std::move(text)};
}

FixQuestion question() {
  return {.torch = "2.13.0",
          .draft = "Title\n\nBody\n\n**Extent**: everything",
          .signature = "numerical | cat",
          .extent = "float32 (not int8)",
          .whereabouts = "It is Inductor's.",
          .functions = {function("cat", "def cat():\n    pass\n")}};
}

void check_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const auto& part : parts) {
    CAPTURE(part);
    CHECK(contains(text, part));
  }
}

}  // namespace

TEST_CASE("the question has what is known of the finding, each once") {
  const std::string text = fix_question(question());
  check_parts(text, {"torch 2.13.0.", "Body", "numerical | cat", "float32 (not int8)", "It is Inductor's.",
                     "### torch/_inductor/lowering.py:cat, lines 7 to 8, called 2 times for aten.cat.default\n",
                     "```python\ndef cat():\n    pass\n```"});
  for (const char* missing :
       {"everything", "Also called", "## Functions beside", "## What torch documents", "## The graphs"}) {
    CAPTURE(missing);
    CHECK_FALSE(contains(text, missing));
  }
}

TEST_CASE("the question names who else reaches a function, and which lines only this program runs") {
  auto asked = question();
  auto& first = asked.functions.front();
  first.function.common = true;
  first.function.own_lines = "7, 10-12";
  first.reached_by = {.operators = {"aten.cat", "aten.stack"}, .number = 2};
  CHECK(contains(fix_question(asked),
                 "for aten.cat.default; other programs do not run lines 7, 10-12; also reached by aten.stack\n"));
  for (int number = 0; number < 9; ++number) first.reached_by.operators.push_back("prims.x" + std::to_string(number));
  first.reached_by.number = 23;
  CHECK(contains(fix_question(asked),
                 "aten.stack, prims.x0, prims.x1, prims.x2, prims.x3, prims.x4, prims.x5, "
                 "prims.x6, … (23 operators)\n"));
  first.function.operators = {"invoke_subgraph"};
  first.reached_by = {.operators = {"invoke_subgraph"}, .number = 1};
  CHECK_FALSE(contains(fix_question(asked), "also reached"));
}

TEST_CASE("the question shows siblings, documentation and graphs") {
  auto asked = question();
  const SiblingFunction sibling{.file = "torch/_refs/__init__.py", .name = "prod", .first_line = 3, .last_line = 4};
  asked.siblings = {{.function = sibling, .text = "def prod():\n    pass\n"}, {.function = sibling, .text = ""}};
  asked.siblings[0].function.relation = Relation::right;
  asked.siblings[0].function.to = "prod";
  asked.documented = {{.name = "cat", .schemas = {"aten::cat(Tensor[] tensors) -> Tensor"}, .text = "Concatenates."}};
  asked.graphs = "def forward(self):\n" + std::string(kLongestGraphs, 'x');
  const std::string text = fix_question(asked);
  check_parts(text,
              {"### torch/_refs/__init__.py:prod, lines 3 to 4: for prod, in whose place the program does not show "
               "the bug\n\n```python\ndef prod():",
               "### cat\n\n```text\naten::cat(Tensor[] tensors) -> Tensor\n\nConcatenates.\n```",
               "```python\ndef forward(self):\nxxx", "…\n```"});
}

TEST_CASE("the question shows the sources that fit and names the others") {
  auto asked = question();
  asked.functions = {function("too_long", std::string(kLongestSources + 1, 'x'), 900)};
  for (std::size_t number = 0; number <= kMostShown; ++number) {
    asked.functions.push_back(function("long" + std::to_string(number), "long body\n", kShortFunction + 1));
  }
  asked.functions.push_back(function("one_line", "short body\n"));
  asked.functions.push_back(function("common", ""));
  const std::string text = fix_question(asked);
  check_parts(text, {"Also called:\n\n- torch/_inductor/lowering.py:too_long, lines 7 to 906",
                     "\n- torch/_inductor/lowering.py:long20, ", "\n- torch/_inductor/lowering.py:common, ",
                     "### torch/_inductor/lowering.py:long19, ", "short body"});
  CHECK(text.size() < kLongestSources);
}

TEST_CASE("a text with fences cannot end its block") {
  auto asked = question();
  asked.functions = {function("cat", "def cat():\n    '''\n```\n    '''\n")};
  CHECK(contains(fix_question(asked), "````python\ndef cat():"));
}

TEST_CASE("the second request has the failure") {
  CHECK(contains(fix_again("the finding stays"), "the finding stays"));
}
