// docs/inspect.md and executor/shared/tools.json list the same tools with the same words.
#include "executor/tools.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "oracle/finding/tool_reports.h"
#include "tests/catch.h"
#include "tests/files.h"

using namespace parityd::executor;

namespace {

/// The first two cells of each row of the page's first table.
std::vector<std::pair<std::string, std::string>> rows() {
  std::ifstream page(PARITYD_SOURCE_DIR "/docs/inspect.md");
  std::vector<std::pair<std::string, std::string>> found;
  for (std::string line; std::getline(page, line);) {
    const auto name_end = line.find("` | ");
    const auto about_end = line.find(" | ", name_end + 4);
    if (!found.empty() && line.empty()) break;
    if (line.starts_with("| `") && name_end != std::string::npos && about_end != std::string::npos) {
      found.emplace_back(line.substr(3, name_end - 3), line.substr(name_end + 4, about_end - name_end - 4));
    }
  }
  return found;
}

}  // namespace

TEST_CASE("docs/inspect.md has the same tools as the code") {
  const auto page = rows();
  REQUIRE(page.size() == tools().size());
  for (std::size_t index = 0; index < page.size(); ++index) {
    CHECK(page[index].first == tools()[index].name);
    CHECK(page[index].second == tools()[index].about);
  }
}

TEST_CASE("the tools that only the daemon runs are those that the code names") {
  std::set<std::string> named(parityd::oracle::kSanitizerTools.begin(), parityd::oracle::kSanitizerTools.end());
  named.insert({std::string(parityd::oracle::kScriptTool), "place", "regression", "fired", "callers", "siblings",
                "documented", "opinfo"});
  std::set<std::string> of_daemon;
  const auto table = parityd::tests::read_file(PARITYD_SOURCE_DIR "/executor/shared/tools.json");
  for (const auto& row : nlohmann::json::parse(table)) {
    if (row.value("of_daemon", false)) of_daemon.insert(row.at("name"));
  }
  CHECK(of_daemon == named);
}

TEST_CASE("only names of the table are tools") {
  CHECK(is_tool("fx-readable"));
  CHECK_FALSE(is_tool(""));
  CHECK_FALSE(is_tool("fx"));
}
