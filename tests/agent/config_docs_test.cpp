// The pages docs/configuration*.md and the parser know the same keys, and the pages' examples are valid files that show
// them all.
#include <re2/re2.h>

#include <iterator>
#include <map>
#include <set>

#include "agent/config.h"
#include "tests/catch.h"
#include "tests/files.h"
#include "tests/this_build.h"

using namespace parityd::agent;

namespace {

/// One after the other; the complete example comes first, that of the groups second.
std::string pages() {
  std::string text;
  for (const char* part : {"-example", "-executor", "-oracle", "-providers", ""}) {
    text += parityd::tests::read_file(std::string(PARITYD_SOURCE_DIR "/docs/configuration") + part + ".md");
  }
  return text;
}

/// What the parser says it knows, when it is given a key that it does not.
std::set<std::string> keys_of(const std::string& table, const std::string& shown) {
  const bool many = table == "executor.group";
  std::string text = table.empty() ? "" : many ? "[[" + table + "]]\n" : "[" + table + "]\n";
  text += "a_key_that_is_nowhere_in_the_parser = 1\n";
  const auto config = parse_config(text, "c.toml");
  REQUIRE_FALSE(config);
  for (const auto& error : config.error()) {
    std::string list;
    if (RE2::PartialMatch(error, "no such key; there are (.*)$", &list)) {
      std::set<std::string> keys;
      std::istringstream stream(list);
      for (std::string key; std::getline(stream >> std::ws, key, ',');) {
        keys.insert(shown + key);
      }
      return keys;
    }
  }
  FAIL("the parser listed no keys of " << table);
  return {};
}

std::set<std::string> parser_keys() {
  std::set<std::string> keys;
  for (const auto& [table, shown] :
       std::vector<std::pair<std::string, std::string>>{{"run", "run."},
                                                        {"executor", "executor."},
                                                        {"executor.group", "executor.group."},
                                                        {"modes", "modes."},
                                                        {"oracle", "oracle."},
                                                        {"disposition", "disposition."},
                                                        {"known", "known."},
                                                        {"versions", "versions."},
                                                        {"queue", "queue."},
                                                        {"budget", "budget."},
                                                        {"fix", "fix."},
                                                        {"store", "store."},
                                                        {"retention", "retention."},
                                                        {"web", "web."},
                                                        {"notify", "notify."},
                                                        {"prompts", "prompts."},
                                                        {"log", "log."},
                                                        {"provider.x", "provider.NAME."},
                                                        {"provider.x.price", "provider.NAME.price."},
                                                        {"provider.x.capabilities", "provider.NAME.capabilities."}}) {
    keys.merge(keys_of(table, shown));
  }
  keys.erase("executor.group");  // tables of their own
  keys.erase("provider.NAME.price");
  keys.erase("provider.NAME.capabilities");
  return keys;
}

}  // namespace

TEST_CASE("these tests know every table of the parser") {
  CHECK(keys_of("", "") == std::set<std::string>{"run", "executor", "modes", "oracle", "disposition", "known",
                                                 "versions", "queue", "budget", "store", "retention", "web", "notify",
                                                 "prompts", "log", "provider", "fix"});
}

TEST_CASE("docs/configuration*.md list each key of the parser and no other") {
  std::set<std::string> documented;
  const std::string text = pages();
  re2::StringPiece rest(text);
  for (std::string key; RE2::FindAndConsume(&rest, R"((?m)^\| `([a-z_.NAME]+)` \|)", &key);) {
    CHECK(documented.insert(key).second);
  }
  CHECK(documented == parser_keys());
}

TEST_CASE("the examples in docs/configuration*.md are valid and show each key") {
  std::string complete, groups;
  REQUIRE(RE2::PartialMatch(pages(), R"((?s)```toml\n(.*?)```.*```toml\n(.*?)```)", &complete, &groups));
  for (const auto& example : {complete, groups}) {
    const auto config = parse_config(example, "example");
    if (!config) {
      FAIL(config.error().front());
    }
  }
  for (const auto& key : parser_keys()) {
    const bool of_group = key.starts_with("executor.group.");
    const auto word = key.substr(key.rfind('.') + 1);
    CAPTURE(key);
    CHECK(RE2::PartialMatch(of_group ? groups : complete, "(?m)(^|[{ ,])" + word + " = "));
  }
}

TEST_CASE("the page's example groups are one for a GPU, one for the CPUs and one reached by srun") {
  std::string example;
  REQUIRE(RE2::PartialMatch(pages(), R"((?s)```toml\n.*?```.*```toml\n(.*?)```)", &example));
  const auto config = parse_config(example, "example").value();
  REQUIRE(config.groups.size() == 3);
  CHECK(config.groups[0].device == "cuda");
  CHECK(config.groups[0].launch.empty());
  CHECK(config.groups[1].device == "cpu");
  CHECK(config.groups[2].launch.front() == "srun");
}

TEST_CASE("the installed configuration equals the defaults and explains each key") {
  const std::string text = parityd::tests::read_file(parityd::this_build::folder() / "parityd.toml");
  REQUIRE_FALSE(text.empty());
  const auto config = parse_config(text, "parityd.toml");
  REQUIRE(config);
  CHECK(config->providers.size() == 2);  // builtin, bred
  CHECK(config->groups.empty());
  std::map<std::string, int> shown, wanted;  // by their last word, which several tables may share
  re2::StringPiece rest(text);
  for (std::string key; RE2::FindAndConsume(&rest, R"((?m)^# [^\n]+\n#([a-z_]+) = )", &key);) ++shown[key];
  for (const auto& key : parser_keys()) ++wanted[key.substr(key.rfind('.') + 1)];
  CHECK(shown == wanted);
}
