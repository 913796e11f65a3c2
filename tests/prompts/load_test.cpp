#include <nlohmann/json.hpp>
#include <set>

#include "prompts/strategy.h"
#include "tests/catch.h"
#include "tests/files.h"

using namespace parityd::prompts;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// A folder of prompts of the user's own.
class Folder : public parityd::tests::TemporaryFolder {
 public:
  Folder() {
    for (const char* part : {"strategies", "catalogues", "repairs"}) fs::create_directories(path() / part);
  }
};

const fs::path kShipped = PARITYD_SOURCE_DIR "/prompts";

std::string error_for(const std::string& strategy) {
  const Folder folder;
  folder.write("strategies/mine.md", strategy);
  const auto prompts = load_prompts(kShipped, {folder.path()});
  return prompts ? "" : prompts.error().substr(folder.path().string().size() + 1);
}

}  // namespace

TEST_CASE("the shipped prompts load: 23 strategies, of which eight set options and two take parents") {
  const auto prompts = load_prompts(kShipped, {});
  REQUIRE(prompts);
  const std::set<std::string> with_options{"caches", "dynamic", "dynamic_padding", "higher_order",
                                           "hooks",  "steps",   "training",        "transforms"};
  std::vector<std::string> names;
  for (const auto& strategy : prompts->strategies) {
    names.push_back(strategy.name);
    CAPTURE(strategy.name);
    CHECK_FALSE(strategy.title.empty());
    CHECK(strategy.weight > 0);
    CHECK(strategy.text.size() > 200);
    const bool has_options = with_options.contains(strategy.name);
    CHECK((strategy.options_json != "{}") == has_options);
    CHECK(strategy.parents == (strategy.name == "mutation" ? 1 : strategy.name == "crossover" ? 2 : 0));
    CHECK_FALSE(strategy.draws.empty());
  }
  CHECK(names ==
        std::vector<std::string>{
            "bug_traits",      "caches",   "control",      "crossover", "custom_operators", "dtypes",    "dynamic",
            "dynamic_padding", "edge",     "higher_order", "hooks",     "mutation",         "operators", "overloads",
            "pass_directed",   "patterns", "quantised",    "steps",     "subclasses",       "training",  "transforms",
            "trees",           "views"});
  CHECK(json::parse(prompts->find("dynamic")->options_json) == json{{"dynamic", true}, {"calls", 2}});
  CHECK(json::parse(prompts->find("training")->options_json) == json{{"train", true}, {"backward", true}});
  CHECK(json::parse(prompts->find("steps")->options_json) == json{{"train", true}, {"calls", 3}});
  CHECK(prompts->find("nothing") == nullptr);
}

TEST_CASE("the system prompt states the contract and the purpose") {
  const auto prompts = load_prompts(kShipped, {});
  for (const char* word :
       {"class Model(torch.nn.Module)", "def get_inputs()", "scale: int = 1", "def get_init_inputs()", "OPTIONS",
        "names no device", "test PyTorch's own compiler", "one fenced `python` block"}) {
    CAPTURE(word);
    CHECK(prompts->system.find(word) != std::string::npos);
  }
}

TEST_CASE("a custom folder adds strategies, replaces those of the same name, and may replace the texts") {
  const Folder folder;
  folder.write("strategies/mine.md",
               "---\r\ntitle: Mine\r\nweight: 2.5\r\noptions: {\"grad\": true}\r\n---\r\nDo this.\r\n");
  folder.write("strategies/views.md", "---\n---\nOther views.\n");
  folder.write("repairs/shape.md", "Count.\n");
  folder.write("catalogues/sizes.jsonl", "{\"lead\": \"Sizes:\"}\n\"seven\"\n");
  folder.write("strategies/notes.txt", "no strategy");
  folder.write("system.md", "Another system.\n");
  const auto prompts = load_prompts(kShipped, {folder.path()});
  REQUIRE(prompts);
  CHECK(prompts->strategies.size() == 24);
  CHECK(prompts->advice.at("shape") == "Count.\n");
  CHECK(prompts->catalogues.at("sizes").entries == std::vector<std::string>{"seven"});
  CHECK(prompts->system == "Another system.\n");
  CHECK(prompts->repair.find("{{program}}") != std::string::npos);
  const auto* mine = prompts->find("mine");
  REQUIRE(mine != nullptr);
  CHECK(mine->title == "Mine");
  CHECK(mine->weight == 2.5);
  CHECK(mine->options_json == "{\"grad\":true}");
  CHECK(mine->text == "Do this.\n");
  CHECK(prompts->find("views")->text == "Other views.\n");
  CHECK(prompts->find("views")->title == "views");
}

TEST_CASE("a mistake in a strategy is named with file and line") {
  CHECK(error_for("Do this.\n") == "strategies/mine.md:1: expected front matter that begins with ---");
  CHECK(error_for("---\nno colon\n---\nx\n") == "strategies/mine.md:2: expected \"key: value\"");
  CHECK(error_for("---\ntitle: t\nwieght: 1\n---\nx\n") ==
        "strategies/mine.md:3: no such field \"wieght\"; there are title, weight, options, draw, parents, reads");
  for (const char* weight : {"much", "-1", "nan", "inf", "1x", ""}) {
    CAPTURE(weight);
    CHECK(error_for(std::string("---\nweight: ") + weight + "\n---\nx\n") ==
          std::string("strategies/mine.md:2: weight: \"") + weight + "\" is not a number from 0 up");
  }
  for (const char* draws : {"sizes x", "sizes 0", "sizes 21", "sizes 1 2", ","}) {
    CAPTURE(draws);
    CHECK(error_for(std::string("---\ndraw: ") + draws + "\n---\nx\n").find("expected a catalogue's name") !=
          std::string::npos);
  }
  CHECK(error_for("---\nreads: books\n---\nx\n") ==
        "strategies/mine.md:2: reads: \"books\" is none of chapter, change, kin, promises, samples, outcomes");
  CHECK(error_for("---\nparents: 3\n---\nx\n") == "strategies/mine.md:2: parents: \"3\" is not a number from 0 to 2");
  CHECK(error_for("---\noptions: [1]\n---\nx\n").starts_with("strategies/mine.md:2: options: expected a JSON object"));
  CHECK(error_for("---\ntitle: t\n").find("must end with ---") != std::string::npos);
  CHECK(error_for("---\ntitle: t\n---\n\n").find("followed by the text") != std::string::npos);
}

TEST_CASE("a strategy cannot draw from a missing catalogue") {
  const Folder folder;
  folder.write("strategies/mine.md", "---\ndraw: nothing 2\n---\nx\n");
  CHECK(load_prompts(kShipped, {folder.path()}).error() ==
        "strategies/mine.md: draw: there is no catalogue \"nothing\"");
}

TEST_CASE("a mistake in a catalogue is named with file and line") {
  for (const auto& [text, error] : {std::pair{"\"x\"\n", ":1: expected an object that says \"lead\""},
                                    std::pair{"{\"lead\": \"L\"}\n7\n", ":2: expected a JSON string or object"},
                                    std::pair{"{\"lead\": \"L\"}\n", ": holds no entry"}}) {
    const Folder folder;
    folder.write("catalogues/mine.jsonl", text);
    CHECK(load_prompts(kShipped, {folder.path()}).error() ==
          (folder.path() / "catalogues" / "mine.jsonl").string() + error);
  }
}

TEST_CASE("the catalogues of passes and traits are large, have descriptions and places, and quote nobody") {
  const auto prompts = load_prompts(kShipped, {});
  const auto& passes = prompts->catalogues.at("passes").entries;
  CHECK(passes.size() >= 60);
  for (const auto& each : passes) {
    CAPTURE(each);
    CHECK(each.find("(torch/_inductor/") != std::string::npos);
    CHECK((each.find("looks at") != std::string::npos || each.find("border") != std::string::npos));
  }
  CHECK(prompts->catalogues.at("traits").entries.size() >= 40);
  for (const auto& [name, catalogue] : prompts->catalogues) {
    CAPTURE(name);
    CHECK(std::set<std::string>(catalogue.entries.begin(), catalogue.entries.end()).size() == catalogue.entries.size());
    for (const auto& each : catalogue.entries) {
      CAPTURE(each);
      CHECK(each.find("{{") == std::string::npos);
      CHECK(each.size() < 1500);
    }
  }
}

TEST_CASE("folders without prompts, or from which nothing can be drawn, are errors") {
  CHECK(load_prompts("/nonexistent", {}).error().find("no such folder") != std::string::npos);
  const Folder folder;
  CHECK(load_prompts(folder.path(), {}).error().find("system.md: cannot be read") != std::string::npos);
  folder.write("system.md", "s");
  folder.write("reader.md", "r");
  folder.write("repair.md", "r");
  CHECK(load_prompts(folder.path(), {}).error().find("weight above zero") != std::string::npos);
  folder.write("strategies/a.md", "---\nweight: 0\n---\nx\n");
  CHECK(load_prompts(folder.path(), {}).error().find("weight above zero") != std::string::npos);
}
