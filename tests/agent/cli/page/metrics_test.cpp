// /metrics: the text format, its names, and that each series is there from the start.
#include <re2/re2.h>

#include <set>
#include <sstream>

#include "agent/cli/page/page.h"
#include "tests/catch.h"
#include "tests/store/fixture.h"

namespace parityd::agent {
namespace {

using namespace parityd::tests;

std::string metrics(const Folder& folder) {
  const PageFacts facts{.database = folder.database(),
                        .version = "9",
                        .settings = std::make_shared<PageSettings>(Config{}),
                        .groups = {"cpu", "odd \"name\""}};
  const auto answer = answer_page(facts, {.method = "GET", .path = "/metrics"}, 1'000'000'000);
  CHECK(answer.type.starts_with("text/plain; version=0.0.4"));
  return answer.body;
}

std::set<std::string> series_in(const std::string& text) {
  std::set<std::string> series;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) CHECK(series.insert(line.substr(0, line.rfind(' '))).second);
  }
  return series;
}

}  // namespace

TEST_CASE("metrics: an empty database has every series of a used one") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto empty = series_in(metrics(folder));
  CHECK(empty.contains("parityd_worker_seconds_total{group=\"cpu\",occupation=\"idle\"}"));
  CHECK(empty.contains("parityd_budget_dollars{window=\"day\"}"));
  CHECK(empty.contains("parityd_worker_seconds_total{group=\"odd \\\"name\\\"\",occupation=\"confirmation\"}"));

  const auto program = added(store, finished(a_program("identity-0123"), oracle::VerdictKind::inconsistent)).id;
  store.findings.add(a_finding(program, "hash-0123"));
  store.workers.add_seconds({{.group = "cpu", .occupation = "eager", .seconds = 2.5}}, 1'000'000);
  store.alarms.count({.kind = store::EventKind::worker_died, .times = 2, .first_at = 1, .last_at = 1, .over_at = 1});
  store.alarms.count({.kind = store::EventKind::no_workers, .times = 1, .first_at = 1, .last_at = 1});
  const auto text = metrics(folder);
  CHECK(series_in(text) == empty);
  for (const auto* line :
       {"parityd_programs_total 1\n", "parityd_verdicts{verdict=\"inconsistent\"} 1\n",
        "parityd_findings{disposition=\"ready\",status=\"new\"} 1\n",
        "parityd_faults_total{kind=\"worker_died\",level=\"info\"} 2\n",
        "parityd_alarm{kind=\"no_workers\",level=\"error\"} 1\n",
        "parityd_worker_seconds_total{group=\"cpu\",occupation=\"eager\"} 2.5\n",
        "parityd_budget_dollars{window=\"day\"} 5\n", "parityd_budget_dollars{window=\"hour\"} +Inf\n"}) {
    CAPTURE(line);
    CHECK(text.find(line) != std::string::npos);
  }
  CHECK(text.find("0123") == std::string::npos);
}

TEST_CASE("metrics: each line has Prometheus' text format and each family is described once before its series") {
  const Folder folder;
  const store::Store store(folder.database(), store::Access::write);
  std::istringstream lines(metrics(folder));
  std::set<std::string> families;
  std::string family, type;
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    if (line.starts_with("# HELP ")) {
      REQUIRE(RE2::FullMatch(line, R"(# HELP (parityd_[a-z_]+) [A-Z].*\.)", &family));
      CHECK(families.insert(family).second);
    } else if (line.starts_with("# TYPE ")) {
      REQUIRE(RE2::FullMatch(line, "# TYPE " + family + " (counter|gauge)", &type));
      CHECK(family.ends_with("_total") == (type == "counter"));
    } else {
      CHECK(RE2::FullMatch(line,
                           family + R"((\{[a-z]+="[^"\\]*(\\.[^"\\]*)*"(,[a-z]+="[^"]*")*\})? (\+Inf|[0-9.e+-]+))"));
    }
  }
  CHECK(families.size() > 15);
}

}  // namespace parityd::agent
