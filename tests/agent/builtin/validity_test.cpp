// Runs what the builtin provider answers under a real torch: nearly all of it must be valid.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/agent/builtin/fixture.h"

using namespace parityd::agent;

namespace {

struct Count {
  int valid = 0, all = 0;
};

}  // namespace

TEST_CASE("at least 95 of 100 replayed, mutated and composed programs run eager") {
  if (std::string(PARITYD_TEST_PYTHON).empty()) PARITYD_SKIP("no Python with torch was configured");
  testing::Builtin builtin(2024);
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "parityd_validity_test";
  std::filesystem::create_directories(folder);
  const std::filesystem::path asked = folder / "programs.jsonl";
  const std::filesystem::path told = folder / "verdicts.jsonl";
  {
    std::ofstream out(asked);
    std::map<std::string, int> wanted{{"corpus", 60}, {"composed", 70}, {"mutant", 70}};
    int left = 200;
    for (std::uint64_t position = 0; left > 0; ++position) {
      const Reply reply = builtin.reply(position);
      if (wanted[reply.origin]-- <= 0) continue;
      --left;
      out << nlohmann::json{{"origin", reply.origin}, {"program", fenced_program(reply.text)}, {"model", reply.model}}
                 .dump()
          << "\n";
    }
  }
  const std::string command = std::string(PARITYD_TEST_PYTHON) + " " + PARITYD_SOURCE_DIR +
                              "/tests/agent/builtin/run_eager.py " + asked.string() + " > " + told.string();
  REQUIRE(std::system(command.c_str()) == 0);
  std::map<std::string, Count> counts;
  Count total;
  std::ifstream in(told);
  for (std::string line; std::getline(in, line);) {
    const auto verdict = nlohmann::json::parse(line);
    const bool valid = verdict.at("valid").get<bool>();
    Count& count = counts[verdict.at("origin").get<std::string>()];
    ++count.all;
    ++total.all;
    count.valid += valid ? 1 : 0;
    total.valid += valid ? 1 : 0;
    if (!valid) {
      std::printf("%s: %s\n", verdict.at("model").get<std::string>().c_str(),
                  verdict.at("error").get<std::string>().c_str());
    }
  }
  for (const auto& [origin, count] : counts)
    std::printf("%s: %d of %d valid\n", origin.c_str(), count.valid, count.all);
  CHECK(counts.size() == 3);
  CHECK(total.all == 200);
  CHECK(total.valid * 100 >= total.all * 95);
  std::filesystem::remove_all(folder);
}
