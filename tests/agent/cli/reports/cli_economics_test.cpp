// What `parityd stats --strategies` and `--coverage` tell of costs.
#include <nlohmann/json.hpp>
#include <sstream>

#include "agent/cli/reports/economics.h"
#include "store/base/text.h"
#include "tests/agent/cli/command.h"
#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;

namespace {

void check_screen(const std::string& text) {
  CAPTURE(text);
  CHECK(store::clean_text(text) == text);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(store::characters(line) <= 100);
}

store::Id paid_reply(store::Store& store, const std::string& strategy, std::int64_t cost, std::int64_t tokens) {
  store::ReplyRow row{.provider = "mine", .model = "m", .strategy = strategy, .purpose = store::ReplyPurpose::generate};
  row.id = store.replies.reserve(row);
  row.state = store::ReplyState::answered;
  row.prompt_tokens = tokens;
  row.completion_tokens = 7;
  row.cost_nano_dollars = cost;
  store.replies.end(row);
  return row.id;
}

store::ProgramRow differing(store::Store& store, const std::string& identity, store::Id reply) {
  auto row = a_program(identity);
  row.reply = reply;
  row = finished(added(store, row), oracle::VerdictKind::inconsistent);
  store.programs.update(row);
  store::EvidenceRow evidence{.program = row.id, .purpose = store::Examination::screen, .worker_seconds = 12.5};
  evidence.verdict = *row.verdict;
  store.examinations.add(evidence);
  store.coverage.note(row.id, {"lowering:aten.sin.default"}, 1'000);
  return row;
}

/// A state folder of a daemon that asked for views in vain, and whose first reading led to a finding.
class Paid {
 public:
  Paid() {
    store::Store store(folder_.database(), store::Access::write);
    store.sources.end_reading(store.sources.torch_id("2.13.0", 1), "all", {}, 1);
    differing(store, "vain", paid_reply(store, "views", 750'000'000, 4'000));
    for (int file = 0; file < 12; ++file) {
      const auto name = "_inductor/fx_passes/f" + std::to_string(file) + ".py";
      const auto reply = paid_reply(store, "source", 1'000'000L * (file + 1), 123'456'789'012);
      store.readings.add({.reply = reply, .kind = "chapter", .chapter = name + ": f … g", .torch = "2.13.0"});
      if (file == 0) found(store, reply);
    }
  }
  [[nodiscard]] Ran stats(std::vector<std::string> words) const {
    words.insert(words.begin(), "stats");
    return run_command(folder_.path(), words);
  }
  [[nodiscard]] nlohmann::json json(const std::string& what) const {
    return nlohmann::json::parse(stats({what, "--json"}).out);
  }

 private:
  static void found(store::Store& store, store::Id reply) {
    const auto program = differing(store, "found", reply);
    store.hypotheses.put(reply, 1, "f0.py:f:7: loses NaN", program.id);
    store.groups.add_occurrence(store.findings.add(a_finding(program.id, "one")), program.id, "the first", 1);
  }

  Folder folder_;
};

}  // namespace

TEST_CASE("stats --strategies shows cost and yield of strategies, those that read source separately") {
  const Paid paid;
  const Ran ran = paid.stats({"--strategies"});
  check_screen(ran.out);
  CAPTURE(ran.out);
  CHECK(contains(ran.out,
                 "kind     strategy  requests      tokens in  tokens out  dollars  worker s\n"
                 "prompt   all              1           4000           7   0.7500      12.5\n"
                 "         views            1           4000           7   0.7500      12.5\n"
                 "reading  all             12  1481481468144          84   0.0780      12.5\n"
                 "         source          12  1481481468144          84   0.0780      12.5\n"));
  CHECK(contains(ran.out,
                 "kind     strategy  programs  valid  inconsistent  ready  $ each  s each\n"
                 "prompt   all              1      1             1      0       -       -\n"
                 "         views            1      1             1      0       -       -\n"
                 "reading  all              1      1             1      1  0.0780    12.5\n"));
  CHECK(contains(ran.out,
                 "strategy  attribution agrees  disagrees  undecided\n"
                 "source                     0          0          1\n"));
}

TEST_CASE("stats --strategies --json has all strategies of both kinds and hypotheses") {
  const Paid paid;
  const auto json = paid.json("--strategies");
  CHECK(json["arms"].is_array());
  REQUIRE(json["strategies"].size() == 2);
  const auto& views = json["strategies"][0];
  CHECK(views["strategy"] == "views");
  CHECK(views["kind"] == "prompt");
  CHECK(views["dollars"] == 0.75);
  CHECK(views["worker_seconds"] == 12.5);
  CHECK(views["inconsistent"] == 1);
  CHECK(views["dollars_per_ready"].is_null());
  CHECK(views["worker_seconds_per_ready"].is_null());
  const auto& source = json["strategies"][1];
  CHECK(source["kind"] == "reading");
  CHECK(source["ready"] == 1);
  CHECK(source["dollars_per_ready"] == 0.078);
  CHECK(source["worker_seconds_per_ready"] == 12.5);
  CHECK(json["kinds"].size() == 2);
  CHECK(json["hypotheses"] ==
        nlohmann::json::array({{{"strategy", "source"}, {"agrees", 0}, {"disagrees", 0}, {"unknown", 1}}}));
}

TEST_CASE("stats --coverage shows ten files including the productive one, --json shows all") {
  const Paid paid;
  const Ran ran = paid.stats({"--coverage"});
  check_screen(ran.out);
  CAPTURE(ran.out);
  CHECK(contains(ran.out, "Cost of reading, by file (10 of 12; all: --json)"));
  CHECK(contains(ran.out, "/f0.py "));
  CHECK(contains(ran.out, "/f11.py "));
  CHECK_FALSE(contains(ran.out, "/f1.py "));
  CHECK_FALSE(contains(ran.out, "/f2.py "));
  const auto files = paid.json("--coverage")["readings"]["files"];
  REQUIRE(files.size() == 12);
  CHECK(files[0]["file"] == "_inductor/fx_passes/f11.py");
  CHECK(files[11]["ready"] == 1);
}

TEST_CASE("half of the rows shown have the highest yield, the rest the highest cost in descending order") {
  std::vector<store::YieldRow> rows(8);
  for (std::size_t at = 0; at < rows.size(); ++at) rows[at].name = std::to_string(at);
  rows[7].ready = 1;
  rows[6].inconsistent = 9;
  rows[5].inconsistent = 1;
  std::string names;
  for (const auto& row : agent::most_telling(rows, 4)) names += row.name;
  CHECK(names == "0167");
  CHECK(agent::most_telling({}, 4).empty());
  CHECK(agent::most_telling(rows, 10).size() == 8);
}
