// parityd inspect: what is kept is printed without running anything.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "executor/tools.h"
#include "store/base/text.h"
#include "tests/agent/cli/command.h"
#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;

namespace {

Ran run(const std::filesystem::path& state, std::vector<std::string> words) {
  words.insert(words.begin(), "inspect");
  return run_command(state, words);
}

store::Id finding_with_guards(const Folder& folder, const std::string& text) {
  store::Store store(folder.database(), store::Access::write);
  const auto program = added(store, finished(a_program("a"), oracle::VerdictKind::inconsistent));
  const auto id = store.findings.add(a_finding(program.id, "one"));
  store.inspections.add({.finding = id, .tool = "guards", .torch = "2.13.0", .device = "cpu", .text = text, .at = 1});
  return id;
}

}  // namespace

TEST_CASE("inspect prints stored text with terminal control characters escaped") {
  const Folder folder;
  const auto id = std::to_string(finding_with_guards(folder, "== guards of finding_1.py\n\x1b[2Jtree\n"));
  const Ran ran = run(folder.path(), {id, "--tool", "guards"});
  CHECK(ran.exit_code == 0);
  CHECK(ran.out.starts_with("== guards of finding_1.py\n"));
  CHECK(store::clean_text(ran.out) == ran.out);
  const auto json = nlohmann::json::parse(run(folder.path(), {id, "--tool", "guards", "--json"}).out);
  CHECK(json["tool"] == "guards");
  CHECK(json["torch"] == "2.13.0");
  CHECK(json["hash"].get<std::string>().size() == 32);
}

TEST_CASE("inspect --list names every tool and for a finding those with stored text") {
  const Folder folder;
  const Ran all = run(folder.path(), {"--list"});
  CHECK(all.exit_code == 0);
  for (const auto& tool : executor::tools()) CHECK(all.out.find(std::string(tool.name) + " ") != std::string::npos);
  std::istringstream lines(all.out);
  for (std::string line; std::getline(lines, line);) CHECK(store::characters(line) <= 100);
  CHECK(all.out.find("(kept)") == std::string::npos);
  const auto id = std::to_string(finding_with_guards(folder, "x"));
  const Ran kept = run(folder.path(), {id, "--list"});
  const auto at = kept.out.find("(kept)");
  REQUIRE(at != std::string::npos);
  CHECK(kept.out.rfind("guards", at) > kept.out.rfind('\n', at));
  CHECK(kept.out.find("(kept)", at + 1) == std::string::npos);
}

TEST_CASE("inspect refuses invalid arguments") {
  const Folder folder;
  const auto id = std::to_string(finding_with_guards(folder, "x"));
  CHECK(run(folder.path(), {id}).exit_code == 2);
  CHECK(run(folder.path(), {id, "--tool", "hammer"}).exit_code == 2);
  CHECK(run(folder.path(), {"--tool", "guards"}).exit_code == 2);
  CHECK(run(folder.path(), {id, "--tool", "guards", "--file", "x.py"}).exit_code == 2);
  CHECK(run(folder.path(), {"77", "--tool", "guards"}).exit_code == 1);
}
