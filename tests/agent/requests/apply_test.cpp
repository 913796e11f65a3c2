// Requests applied to a store, as a daemon does and as a command does while none runs.
#include "agent/requests/apply.h"

#include "tests/catch.h"
#include "tests/store/fixture.h"

namespace parityd {
namespace {

using namespace agent::requests;

class Scene {
 public:
  Scene() : recorder_(store_, PARITYD_SOURCE_DIR "/store/draft.mustache", 0, {}) {
    const auto finding = tests::a_finding(tests::added(store_, tests::a_program("p")).id, "sig");
    store_.findings.add(finding);
  }
  Applied apply(const Request& request) {
    return agent::requests::apply(request, {.store = store_,
                                            .recorder = recorder_,
                                            .who = "somebody",
                                            .now = 50,
                                            .known_max_age = std::chrono::hours(24)});
  }
  store::Store& store() { return store_; }

 private:
  tests::Folder folder_;
  store::Store store_{folder_.database(), store::Access::write};
  agent::Recorder recorder_;
};

}  // namespace

TEST_CASE("a decision is stored with its author and time, and an invalid decision changes nothing") {
  Scene scene;
  const auto refused =
      scene.apply(Triage{{.finding = 1, .status = "filed", .issue = {}, .note = {}, .checked = {}, .who = {}}});
  CHECK(refused.refused);
  CHECK(scene.store().triage.of(1).empty());
  const auto taken =
      scene.apply(Triage{{.finding = 1, .status = "wontfix", .issue = {}, .note = {}, .checked = {}, .who = {}}});
  CHECK_FALSE(taken.refused);
  CHECK(taken.changed);
  CHECK(taken.result == "taken");
  REQUIRE(scene.store().triage.of(1).size() == 1);
  CHECK(scene.store().triage.of(1)[0].who == "somebody");
  CHECK(scene.store().triage.of(1)[0].at == 50);
}

TEST_CASE("a tool's text and a recheck need a finding") {
  Scene scene;
  const auto text = [](store::Id finding) {
    return KeepInspection{
        {.finding = finding, .tool = "guards", .torch = {}, .device = {}, .text = "said", .hash = {}}};
  };
  CHECK(scene.apply(text(2)).result == "no such tool or finding");
  CHECK(scene.apply(text(1)).result == "stored");
  CHECK(scene.store().inspections.find(1, "guards")->text == "said");
  CHECK(scene.apply(KeepRecheck{{.finding = 2}}).result == "no recheck of a finding in it");
  const auto failed = scene.apply(KeepRecheck{{.finding = 1, .torch = "2.14.0", .reason = "no worker"}});
  CHECK(failed.result == "stored");
  REQUIRE(failed.alarm);
  CHECK(failed.alarm->first == store::EventKind::recheck_failed);
  CHECK(scene.store().rechecks.of(1).at(0).who == "somebody");
}

TEST_CASE("a change is kept when it is asked for and again with its result, both by one row") {
  Scene scene;
  store::FixTry row{.finding = 1, .at = 7, .model = "m", .nano_dollars = 90, .torch = "2.13.0", .device = "cpu"};
  const auto asked = scene.apply(KeepFix{row});
  CHECK(asked.result == "stored");
  CHECK_FALSE(asked.changed);
  CHECK(asked.note == "finding 1 on torch 2.13.0, try 1: m is asked");
  CHECK(scene.store().fixes.nano_dollars_since(0) == 90);
  row.reply = "said";
  row.nano_dollars = 40;
  CHECK(scene.apply(KeepFix{row}).note.empty());
  row.result = store::FixResult::stays;
  row.why = "it still\nshows";
  const auto ended = scene.apply(KeepFix{row});
  CHECK(ended.changed);
  CHECK(ended.note == "finding 1 on torch 2.13.0, try 1: stays: it still shows");
  REQUIRE(scene.store().fixes.of(1).size() == 1);
  CHECK(scene.store().fixes.of(1)[0].result == store::FixResult::stays);
  CHECK(scene.store().fixes.nano_dollars_since(0) == 40);
  row.result = store::FixResult::accepted;
  row.changed_lines = 3;
  row.functions = {"torch/_inductor/lowering.py:cat"};
  CHECK(scene.apply(KeepFix{row}).note.ends_with("accepted: 3 lines in torch/_inductor/lowering.py:cat"));
  row.finding = 2;
  CHECK(scene.apply(KeepFix{row}).refused);
}

TEST_CASE("a backup is recorded, or its failure raises the alarm") {
  Scene scene;
  CHECK(scene.apply(NoteBackup{.done = "now to there", .failed = {}}).note == "now to there");
  CHECK(scene.store().values.find(kLastBackup) == "now to there");
  const auto failed = scene.apply(NoteBackup{.done = {}, .failed = "no space"});
  REQUIRE(failed.alarm);
  CHECK(failed.alarm->second == "no space");
  CHECK(scene.store().values.find(kLastBackup) == "now to there");
  CHECK(scene.apply(NoteBackup{}).result == "no backup in it");
}

TEST_CASE("an impossible regrouping and a request that needs a daemon are refused") {
  Scene scene;
  CHECK(scene.apply(Merge{.finding = 1, .into = 7, .note = "n"}).result.starts_with(kRefused));
  CHECK(scene.apply(Split{.finding = 1, .programs = {5}, .note = "n"}).refused);
  CHECK(scene.apply(Undo{}).refused);
  CHECK(scene.apply(Stop{}).refused);
  CHECK(scene.apply(Import{.file = "a.py", .text = "x", .options_json = {}}).refused);
}

}  // namespace parityd
