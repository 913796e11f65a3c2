// What is printed fits the screen: tables, sentences, help, a watched page.
#include <sstream>

#include "agent/cli/reports/watching.h"
#include "agent/cli/table.h"
#include "store/base/text.h"
#include "tests/agent/cli/command.h"
#include "tests/catch.h"

using namespace parityd;
using agent::Screen;
using tests::contains;

namespace {

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, store::characters(line));
  return longest;
}

agent::Table findings() {
  agent::Table table({"id", "kind", "stage", "disposition", "seen", "title"});
  table.align_right({4});
  table.add({"1", "numerical", "aot_eager_decomp_partition", "ready", "12345", std::string(90, 't')});
  table.add({"12", "behaviour", "inductor", "held(subnormal)", "1", "short"});
  return table;
}

/// Help of `words`, as a screen of so many columns has it.
std::string help(std::vector<std::string> words, std::size_t columns) {
  words.insert(words.begin(), "parityd");
  words.emplace_back("--help");
  std::ostringstream out, err;
  CHECK(agent::run_command_line(words, out, err, {.columns = columns}) == 0);
  CHECK(err.str().empty());
  return out.str();
}

}  // namespace

TEST_CASE("a table fits any screen: texts are cut first, then each row becomes several lines") {
  for (const std::size_t columns : {24, 40, 60, 80, 100, 160}) {
    CAPTURE(columns);
    const std::string text = findings().text({.columns = columns});
    CHECK(longest_line(text) <= columns);
    CHECK(contains(text, "12345"));
    CHECK(contains(text, "12"));
  }
  CHECK(contains(findings().text({.columns = 60}), "numerical"));
  CHECK(contains(findings().text({.columns = 160}), "aot_eager_decomp_partition"));
  CHECK(contains(findings().text({.columns = 30}), "kind         numerical\n"));
}

TEST_CASE("output that is not a terminal is not cut") {
  const std::string text = findings().text({.columns = 0});
  CHECK(contains(text, std::string(90, 't')));
  CHECK(contains(text, "aot_eager_decomp_partition"));
  CHECK(Screen{.columns = 0}.text_columns() == 100);
}

TEST_CASE("help fits the screen, names every command and has no control characters") {
  const std::vector<std::string> groups{"Finding bugs", "Reading findings", "Deciding", "Investigating", "Maintenance"};
  const std::string all = help({}, 100);
  for (const auto& group : groups) CHECK(contains(all, group + ":"));
  CHECK_FALSE(contains(all, "\nCommands:"));  // each command stands under a heading
  for (const std::size_t columns : {60, 80, 100, 160}) {
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{}, {"run"}, {"findings"}, {"worker", "build"}, {"stats"}, {"triage"}}) {
      CAPTURE(columns, words);
      const std::string text = help(words, columns);
      CHECK(longest_line(text) <= columns);
      CHECK(store::clean_text(text) == text);
    }
  }
  CHECK(contains(help({"findings"}, 100), "behaviour, "));
  CHECK(contains(help({"show"}, 100), "Usage: parityd show [FINDING] [OPTIONS]"));
}

TEST_CASE("every command's help has examples whose options appear in it") {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"run"},     {"status"},          {"stop"},           {"import"},        {"check"},           {"findings"},
           {"show"},    {"draft"},           {"repro"},          {"export"},        {"stats"},           {"triage"},
           {"merge"},   {"split"},           {"undo"},           {"known", "sync"}, {"known", "import"}, {"notify"},
           {"inspect"}, {"recheck"},         {"verify"},         {"fix"},           {"rejudge"},         {"doctor"},
           {"backup"},  {"worker", "build"}, {"worker", "list"}, {"completion"}}) {
    const std::string text = help(words, 100);
    const auto begin = text.find("Examples:\n");
    CAPTURE(text);
    REQUIRE(begin != std::string::npos);
    std::istringstream examples(text.substr(begin));
    for (std::string word; examples >> word;) {
      if (word.starts_with("--")) CHECK(contains(text.substr(0, begin), "  " + word));
    }
  }
}

TEST_CASE("a watched page is drawn over the previous one and never exceeds the screen") {
  const Screen screen{.terminal = true, .columns = 80, .rows = 3};
  CHECK(agent::redrawn("one\ntwo\n", screen) == "\x1b[Hone\x1b[K\ntwo\x1b[K\x1b[J");
  CHECK(agent::redrawn("1\n2\n3\n4\n", screen) == "\x1b[H1\x1b[K\n2\x1b[K\n3\x1b[K\x1b[J");
}
