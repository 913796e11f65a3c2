#include "agent/daemon/loop/kill_point.h"

#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/files.h"

using namespace parityd;

TEST_CASE("every kill point has a row in the table of the tests that kill the daemon") {
  std::vector<std::string> rows;
  const auto table = tests::read_file(PARITYD_SOURCE_DIR "/tests/agent/daemon/scenes/kill_points.json");
  for (const auto& row : nlohmann::json::parse(table)) rows.push_back(row.at("name"));
  const auto points = names(agent::KillPoint{});
  CHECK(rows == std::vector<std::string>(points.begin(), points.end()));
}
