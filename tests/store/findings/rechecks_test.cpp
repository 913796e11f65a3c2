// What findings do on other torches: kept, counted for their status, and asked for once.
#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;
using store::RecheckResult;

namespace {

constexpr store::Millis kHour = store::Millis{60} * 60 * 1000;
using Ids = std::vector<store::Id>;

class Found {
 public:
  Found() : store_(folder_.database(), store::Access::write) {
    const auto program = added(store_, finished(a_program("a"), oracle::VerdictKind::inconsistent));
    id_ = store_.findings.add(a_finding(program.id, "one"));
  }
  /// The status after it was tried on the newest torch.
  std::string tried(RecheckResult result, bool newest = true) {
    at_ += kHour;
    store_.rechecks.add({.finding = id_, .torch = "2.15.0", .newest = newest, .result = result, .at = at_});
    return std::string(name(store_.findings.find(id_)->status));
  }
  void set_status(const std::string& status) {
    REQUIRE_FALSE(store_.triage.decide({.finding = id_,
                                        .status = status,
                                        .issue = "https://github.com/pytorch/pytorch/issues/1",
                                        .checked = "by hand"}));
  }
  store::Store& store() { return store_; }
  [[nodiscard]] store::Id id() const { return id_; }

 private:
  Folder folder_;
  store::Store store_;
  store::Id id_ = 0;
  store::Millis at_ = 0;
};

}  // namespace

TEST_CASE("a finding gone twice on the newest torch is fixed, and one that is back is regressed") {
  Found found;
  CHECK(found.tried(RecheckResult::gone) == "new");
  CHECK(found.tried(RecheckResult::gone) == "fixed");
  CHECK(found.tried(RecheckResult::cannot) == "fixed");
  CHECK(found.tried(RecheckResult::still) == "regressed");
  CHECK(found.tried(RecheckResult::gone) == "regressed");
  CHECK(found.tried(RecheckResult::gone) == "fixed");
}

TEST_CASE("a single confirmation, an interrupted pair and older torches do not make a finding fixed") {
  Found found;
  CHECK(found.tried(RecheckResult::gone) == "new");
  CHECK(found.tried(RecheckResult::different) == "new");
  CHECK(found.tried(RecheckResult::gone) == "new");
  CHECK(found.tried(RecheckResult::gone, false) == "new");
  CHECK(found.tried(RecheckResult::cannot) == "new");
  CHECK(found.tried(RecheckResult::gone) == "fixed");
  CHECK(found.tried(RecheckResult::still, false) == "fixed");
}

TEST_CASE("a filed or known finding can become fixed, and what people closed stays closed") {
  for (const auto& [status, after] : std::vector<std::pair<std::string, std::string>>{
           {"filed", "fixed"}, {"known", "fixed"}, {"wontfix", "wontfix"}, {"false_positive", "false_positive"}}) {
    CAPTURE(status);
    Found found;
    found.set_status(status);
    (void)found.tried(RecheckResult::gone);
    CHECK(found.tried(RecheckResult::gone) == after);
  }
}

TEST_CASE("a recheck is read as it was stored") {
  Found found;
  const store::RecheckRow row{.finding = found.id(),
                              .torch = "2.15.0",
                              .python = "3.12.1",
                              .device = "cpu",
                              .device_name = "a model",
                              .elsewhere = true,
                              .newest = true,
                              .result = RecheckResult::different,
                              .hits = 1,
                              .rounds = 3,
                              .reason = "another kind",
                              .who = "me",
                              .at = 77};
  found.store().rechecks.add(row);
  const auto kept = found.store().rechecks.of(found.id());
  REQUIRE(kept.size() == 1);
  CHECK(kept[0].torch == row.torch);
  CHECK(kept[0].python == row.python);
  CHECK(kept[0].device == row.device);
  CHECK(kept[0].device_name == row.device_name);
  CHECK(kept[0].elsewhere);
  CHECK(kept[0].newest);
  CHECK(kept[0].result == row.result);
  CHECK(kept[0].hits == 1);
  CHECK(kept[0].rounds == 3);
  CHECK(kept[0].reason == row.reason);
  CHECK(kept[0].who == row.who);
  CHECK(kept[0].at == 77);
}

TEST_CASE("a recheck stays pending until its torch has answered") {
  Found found;
  auto& store = found.store();
  CHECK(store.rechecks.untried_on("2.15.0", "cpu") == Ids{found.id()});
  CHECK(store.rechecks.untried_on("", "cpu") == Ids{found.id()});
  CHECK(store.rechecks.untried_on("2.15.0", "cuda").empty());
  (void)found.tried(RecheckResult::cannot);
  CHECK(store.rechecks.untried_on("2.15.0", "cpu") == Ids{found.id()});
  (void)found.tried(RecheckResult::still);
  CHECK(store.rechecks.untried_on("2.15.0", "cpu").empty());
  CHECK(store.rechecks.untried_on("", "cpu").empty());
  CHECK(store.rechecks.untried_on("2.16.0", "cpu") == Ids{found.id()});
  CHECK(store.rechecks.found_elsewhere("2.13.0", "cpu").empty());
  CHECK(store.rechecks.found_elsewhere("2.16.0", "cpu") == Ids{found.id()});
  CHECK(store.rechecks.found_elsewhere("2.15.0", "cpu").empty());
  found.set_status("wontfix");
  CHECK(store.rechecks.untried_on("2.16.0", "cpu").empty());
}

TEST_CASE("a finding that is gone is rechecked once more after an hour") {
  Found found;
  auto& store = found.store();
  (void)found.tried(RecheckResult::gone);  // at one hour
  CHECK(store.rechecks.gone_once("2.15.0", "cpu", 2 * kHour - 1).empty());
  CHECK(store.rechecks.gone_once("2.15.0", "cpu", 2 * kHour) == Ids{found.id()});
  CHECK(store.rechecks.gone_once("2.16.0", "cpu", 2 * kHour).empty());
  (void)found.tried(RecheckResult::gone);
  CHECK(store.rechecks.gone_once("2.15.0", "cpu", 9 * kHour).empty());
}

TEST_CASE("a new torch queues consistent programs again once each and marks what it breaks") {
  Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto examined = [&](const store::ProgramRow& program, const std::string& torch,
                            const std::string& neutralisers = "", const oracle::GraphForms& graphs = {}) {
    const auto environment = store.environments.id_of({.torch = torch, .python = "3", .device = "cpu"});
    store.examinations.add({.program = program.id,
                            .purpose = store::Examination::screen,
                            .environment = environment,
                            .evidence = {.graphs = graphs},
                            .verdict = *program.verdict,
                            .neutralisers = neutralisers});
  };
  CHECK_FALSE(store.programs.torch_before("2.14.0", "cpu"));
  for (int number = 0; number < 20; ++number) {
    examined(added(store, finished(a_program("c" + std::to_string(number)), oracle::VerdictKind::consistent)),
             "2.13.0");
  }
  examined(added(store, finished(a_program("i"), oracle::VerdictKind::inconsistent)), "2.13.0");
  examined(added(store, finished(a_program("s"), oracle::VerdictKind::consistent)), "2.13.0",
           "lowering aten.sin.default");  // no proof for the program as it is
  examined(added(store, finished(a_program("g"), oracle::VerdictKind::consistent)), "2.13.0", "",
           {.seen = 3, .interpreted = 1});  // nor this for what is compiled of it
  CHECK_FALSE(store.programs.torch_before("2.13.0", "cpu"));
  CHECK_FALSE(store.programs.torch_before("2.14.0", "cuda"));
  CHECK(store.programs.torch_before("2.14.0", "cpu") == "2.13.0");
  CHECK(store.programs.consistent("2.13.0", "cpu", 100, 5).size() == 20);
  CHECK(store.programs.consistent("2.14.0", "cpu", 100, 5).empty());
  CHECK(store.programs.consistent_calling("2.13.0", "cpu", {"amax"}, 100).empty());
  const auto calls = [&](const std::string& text, const std::vector<std::string>& operators,
                         const oracle::GraphForms& graphs = {}) {
    const auto program = added(store, finished(a_program(text), oracle::VerdictKind::consistent));
    oracle::Evidence evidence{.graphs = graphs};
    evidence.outcomes[oracle::Mode::inductor] = {.kind = oracle::OutcomeKind::ran, .operators = operators};
    store.examinations.add({.program = program.id,
                            .purpose = store::Examination::screen,
                            .environment = store.environments.id_of({.torch = "1.0", .python = "3", .device = "cpu"}),
                            .evidence = evidence,
                            .verdict = *program.verdict});
    return program.id;
  };
  const auto first = calls("o1", {"aten.add.Tensor", "aten.amax.default"});
  calls("o2", {"aten.amin.default", "aten.clamax.default"});
  const auto third = calls("o3", {"prims.amax.default"}, {.seen = 1, .interpreted = 1});  // whoever asks compiles it
  const auto calling = store.programs.consistent_calling("1.0", "cpu", {"amax", "sin"}, 100);
  REQUIRE(calling.size() == 2);
  CHECK(calling[0].id == third);
  CHECK(calling[1].id == first);
  CHECK(store.programs.consistent_calling("1.0", "cpu", {"amax"}, 1).size() == 1);
  CHECK(store.programs.consistent_calling("1.0", "cuda", {"amax"}, 100).empty());
  CHECK(store.programs.consistent_calling("1.0", "cpu", {}, 100).empty());
  const auto sample = store.programs.consistent("2.13.0", "cpu", 7, 5);
  REQUIRE(sample.size() == 7);
  CHECK(store.programs.consistent("2.13.0", "cpu", 7, 5)[6].id == sample[6].id);
  for (const auto& program : sample) CHECK(store.programs.add_sentinel(program, "2.13.0", "2.14.0", 9));
  CHECK_FALSE(store.programs.add_sentinel(sample[0], "2.13.0", "2.14.0", 9));
  auto queued = store.programs.in_state(store::ProgramState::queued, 100);
  REQUIRE(queued.size() == 7);
  CHECK(queued[0].text == sample[0].text);
  CHECK(queued[0].origin == store::Origin::sentinel);
  const auto broken = store.findings.add(a_finding(queued[0].id, "broken"));
  CHECK(store.findings.find(broken)->consistent_on == "2.13.0");
  // On the torch after that, what stayed consistent goes on, under its first name.
  const auto again = finished(queued[1], oracle::VerdictKind::consistent);
  store.programs.update(again);
  examined(again, "2.14.0");
  CHECK(store.programs.torch_before("2.15.0", "cpu") == "2.14.0");
  const auto next = store.programs.consistent("2.14.0", "cpu", 100, 5);
  REQUIRE(next.size() == 1);
  CHECK(store.programs.add_sentinel(next[0], "2.14.0", "2.15.0", 10));
  CHECK(store.programs.by_identity(sample[1].identity + "@2.15.0"));
}
