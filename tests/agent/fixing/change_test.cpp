// A model's reply as a change: its form, and what is said about replies that do not have it.
#include "agent/fixing/change.h"

#include <fmt/format.h>

#include "tests/catch.h"

using namespace parityd;
using agent::parse_change;

namespace {

const std::string kEdit =
    "torch._inductor.lowering\n<<<<<<< SEARCH\n    return a\n=======\n    return b\n>>>>>>> REPLACE\n";
const std::string kTest = "```python\nassert True\n```\n";

std::string edit_of(const std::string& search, const std::string& replace) {
  return "torch._inductor.ir\n<<<<<<< SEARCH\n" + search + "=======\n" + replace + ">>>>>>> REPLACE\n";
}

std::string replacing_in(const std::string& module) {
  return fmt::format("{}\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n{}", module, kTest);
}

bool says(const std::string& reply, const std::string& words) {
  const auto change = parse_change(reply);
  CAPTURE(reply.substr(0, 500), change ? "a change" : change.error());
  CHECK_FALSE(change);
  return !change && change.error().find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a reply's edits, its test and its reasons are told apart") {
  const auto change = parse_change("The lowering forgets the dtype.\n\n" + kEdit + "\nA helper, too:\n\n" +
                                   edit_of("x\n\ny\n", "") + "\n" + kTest + "Nothing else calls it.\n");
  REQUIRE(change);
  REQUIRE(change->edits.size() == 2);
  CHECK(change->edits[0].module == "torch._inductor.lowering");
  CHECK(change->edits[0].search == "    return a\n");
  CHECK(change->edits[0].replace == "    return b\n");
  CHECK(change->edits[1].module == "torch._inductor.ir");
  CHECK(change->edits[1].search == "x\n\ny\n");
  CHECK(change->edits[1].replace.empty());
  CHECK(change->test == "assert True\n");
  CHECK(change->why.starts_with("The lowering forgets the dtype."));
  CHECK(change->why.ends_with("Nothing else calls it."));
  CHECK(change->why.find("torch._inductor") == std::string::npos);
}

TEST_CASE("Markdown around edits, thinking and Windows line ends are no obstacle") {
  for (const std::string module :
       {"**torch._inductor.ir**", "### `torch._inductor.ir`", "Module: `torch._inductor.ir`", "torch._inductor.ir:"}) {
    CAPTURE(module);
    const auto change =
        parse_change(fmt::format("<think>\n<<<<<<< SEARCH\n</think>\nWhy.\n{}\n```python\n<<<<<<< SEARCH\r\na\r\n"
                                 "=======\r\nb\r\n>>>>>>> REPLACE\r\n```\n{}",
                                 module, kTest));
    REQUIRE(change);
    CHECK(change->edits[0].module == "torch._inductor.ir");
    CHECK(change->edits[0].search == "a\n");
    CHECK(change->test == "assert True\n");
  }
}

TEST_CASE("an edit directly after another one is in the same module") {
  const auto change = parse_change(kEdit + "\n<<<<<<< SEARCH\nc\n=======\nd\n>>>>>>> REPLACE\n" + kTest);
  REQUIRE(change);
  CHECK(change->edits[1].module == "torch._inductor.lowering");
}

TEST_CASE("fences and markers that are not in the first column belong to an edit's lines") {
  const auto change = parse_change(edit_of("  ```\n ======= \n  >>>>>>> REPLACE\n", "x\n") + kTest);
  REQUIRE(change);
  CHECK(change->edits[0].search == "  ```\n ======= \n  >>>>>>> REPLACE\n");
}

TEST_CASE("no patch is an answer if it has a reason") {
  for (const std::string reply : {"NO PATCH: eager is at fault", "I looked.\n\n**NO PATCH**: eager is at fault\n",
                                  "no patch: eager is at fault"}) {
    CAPTURE(reply);
    const auto change = parse_change(reply);
    REQUIRE(change);
    CHECK(change->edits.empty());
    CHECK(change->why.ends_with("eager is at fault"));
  }
  CHECK(says("NO PATCH", "give the reason"));
  CHECK(says(kEdit + kTest + "NO PATCH: or none\n", "decide for one"));
  CHECK(parse_change(kEdit + kTest + "No patch of eager is needed.\n"));
}

TEST_CASE("a regression test without a closing fence ends with the reply") {
  const auto change = parse_change(kEdit + "```python\nassert True\n");
  REQUIRE(change);
  CHECK(change->test == "assert True\n");
}

TEST_CASE("a reply without the form is told what is missing") {
  CHECK(says("", "has no edit"));
  CHECK(says("I would change lowering.py.", "<<<<<<< SEARCH"));
  CHECK(says(kEdit, "0 blocks that begin with ```python"));
  CHECK(says(kEdit + kTest + "\n" + kTest, "2 blocks"));
  CHECK(says("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n" + kTest, "must name the module"));
  CHECK(says(kEdit + "Then:\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n" + kTest, "it is `Then:`"));
  CHECK(says(">>>>>>> REPLACE\n" + kTest, "without `<<<<<<< SEARCH` before it"));
  CHECK(says("torch.fx\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n" + kTest, "`=======` is missing"));
  CHECK(says("torch.fx\n<<<<<<< SEARCH\na\n=======\nb\n<<<<<<< SEARCH\n" + kTest, "is missing at its end"));
  CHECK(says(edit_of("a\n", "b\n=======\nc\n") + kTest, "second line `=======`"));
  CHECK(says("torch.fx\n<<<<<<< SEARCH\na\n=======\n", "ends within edit 1"));
  CHECK(says(edit_of("", "b\n") + kTest, "SEARCH is empty"));
  CHECK(says(edit_of("a\n", "a\n") + kTest, "are equal"));
}

TEST_CASE("a path instead of a module is refused", "[attacks]") {
  for (const std::string path : {"torch/_inductor/lowering.py", "../../etc/passwd", "/etc/passwd", "lowering.py",
                                 "torch._inductor.lowering.py", "torch/../os.py"}) {
    CHECK(says(replacing_in(path), "is a path"));
  }
  for (const std::string name : {"os", "torch..fx", "torch.", "torchvision.ops", "torch.fx\\x", "torch.%00"}) {
    CHECK(says(replacing_in(name), "module of torch"));
  }
}

TEST_CASE("a hostile reply is refused before it costs anything", "[attacks]") {
  std::string huge;
  huge.resize(50'000'000, 'a');
  CHECK(says(huge, "50000000 bytes"));
  CHECK(says(edit_of(std::string("a\0b\n", 4), "b\n") + kTest, "SEARCH: line 1"));
  CHECK(says(edit_of("a\n", "b\nc\xff\n") + kTest, "REPLACE: line 2"));
  CHECK(says(edit_of("a\n", "x = 1 # \xe2\x80\xae\n") + kTest, "an invisible one"));
  CHECK(says(edit_of("a\n", "b\rc\n") + kTest, "control character"));
  CHECK(says(kEdit + "```python\na\x1b[2J\n```\n", "the regression test: line 1"));
  std::string many;
  for (int n = 0; n <= 32; ++n) many += kEdit;
  CHECK(says(many + kTest, "at most 32 edits"));
  std::string markers;
  while (markers.size() < agent::kLongestReply - 100) markers += "```\n";
  CHECK(says(markers, "has no edit"));
}
