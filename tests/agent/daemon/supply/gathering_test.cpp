// Ready findings get every debugging tool once, as background work; what fails is not tried again.
#include "agent/daemon/supply/gathering.h"

#include <fmt/format.h>

#include "agent/daemon/findings/recorder.h"
#include "executor/tools.h"
#include "tests/catch.h"
#include "tests/executor/support.h"
#include "tests/store/fixture.h"

using namespace parityd;
using executor::Clock;

namespace {

constexpr const char* kTorch = "0.0.fake";

class Scene {
 public:
  Scene() : examiner_(*pool_, pool_.folder().path() / "rounds", 0), gathering_(store_, *pool_, examiner_) {}

  store::Id add_finding(const std::string& reduced, const std::string& disposition, const std::string& device = "cpu",
                        int hits = 3) {
    const auto program =
        tests::added(store_, tests::finished(tests::a_program(reduced), oracle::VerdictKind::inconsistent));
    auto row = tests::a_finding(program.id, reduced);
    row.reduced = reduced;
    row.disposition = oracle::disposition_from_text(disposition).value();
    row.device = device;
    row.hits = hits;
    row.rounds = 3;
    row.torch = kTorch;
    return store_.findings.add(row);
  }

  void add_script(store::Id finding, const std::string& script) {
    store_.drafts.set({.finding = finding, .title = "t", .body = "b", .repro = script, .created_at = 1});
  }

  /// One held for its script, which the fake worker runs as the script's own lines ask.
  store::Id add_unrun(const std::string& script) {
    const auto finding = add_finding(script, "held(script)");
    add_script(finding, script);
    return finding;
  }

  /// Until no script waits. Returns how many runs were begun.
  int run_scripts(std::vector<std::string>& failures, const std::vector<std::string>& torches = {kTorch}) {
    gathering_.set_torches(torches);
    int begun = 0;
    pool_.until([&] {
      (void)examiner_.drain_results(Clock::now());
      for (const auto& gathered : gathering_.store_results(7)) {
        if (!gathered.failure.empty()) failures.push_back(gathered.failure);
      }
      if (auto next = gathering_.next_script()) {
        examiner_.inspect(std::move(*next), Clock::now());
        ++begun;
      }
      return !gathering_.scripts_wait();
    });
    return begun;
  }

  /// Until nothing is left to gather. Returns how many tools were begun.
  int gather(std::vector<std::string>& failures) {
    int begun = 0;
    bool running = false;
    pool_.until([&] {
      (void)examiner_.drain_results(Clock::now());
      for (const auto& gathered : gathering_.store_results(7)) {
        if (!gathered.failure.empty()) failures.push_back(gathered.failure);
      }
      auto next = gathering_.next(false, Clock::now());
      if (next) {
        examiner_.inspect(std::move(*next), Clock::now());
        ++begun;
      }
      running = next.has_value() || pool_->free_fresh(0) == 0;
      return !running;
    });
    return begun;
  }

  store::Store& store() { return store_; }
  agent::Gathering& gathering() { return gathering_; }

 private:
  tests::Folder folder_;
  store::Store store_{folder_.database(), store::Access::write};
  executor::test::FakePool pool_;
  agent::Examiner examiner_;
  agent::Gathering gathering_;
};

}  // namespace

TEST_CASE("every tool runs once on each ready finding and on no other") {
  Scene scene;
  const auto ready = scene.add_finding("x = 1\n", "ready");
  const auto held = scene.add_finding("x = 2\n", "held(stride)");
  std::vector<std::string> failures;
  CHECK(scene.gather(failures) == static_cast<int>(executor::tools().size()));
  CHECK(failures.empty());
  CHECK(scene.store().inspections.tools_run(ready).size() == executor::tools().size());
  CHECK(scene.store().inspections.tools_run(held).empty());
  const auto guards = scene.store().inspections.find(ready, "guards");
  REQUIRE(guards);
  CHECK(guards->text == "== guards of finding_" + std::to_string(ready) + ".py\ntold\n");
  CHECK(guards->torch == "0.0.fake");
  CHECK(guards->at == 7);
  scene.gathering().look_again();
  CHECK(scene.gather(failures) == 0);
}

TEST_CASE("a tool that fails is reported and not retried, a program that dies is evidence") {
  Scene scene;
  (void)scene.add_finding("# fake: tool fails\n", "ready");
  const auto dies = scene.add_finding("# fake: die SIGSEGV at inductor.compile\n", "ready");
  std::vector<std::string> failures;
  CHECK(scene.gather(failures) == static_cast<int>(2 * executor::tools().size()));
  CHECK(failures.size() == executor::tools().size());
  scene.gathering().look_again();
  CHECK(scene.gather(failures) == 0);
  const auto trace = scene.store().inspections.find(dies, "trace");
  REQUIRE(trace);
  CHECK(trace->text.find("ended in step compile by signal 11") != std::string::npos);
}

TEST_CASE("findings whose tools failed for good do not block tools for others") {
  Scene scene;
  const auto& last = executor::tools().back().name;
  const auto lacks_the_last = [&](store::Id finding) {
    for (const auto& tool : executor::tools()) {
      if (tool.name != last) scene.store().inspections.add({.finding = finding, .tool = std::string(tool.name)});
    }
    return finding;
  };
  for (int finding = 0; finding < 18; ++finding) {
    (void)lacks_the_last(scene.add_finding(fmt::format("# fake: tool fails\nx = {}\n", finding), "ready"));
  }
  const auto sound = lacks_the_last(scene.add_finding("x = 1\n", "ready"));
  std::vector<std::string> failures;
  CHECK(scene.gather(failures) == 19);
  CHECK(failures.size() == 18);
  CHECK(scene.store().inspections.find(sound, std::string(last)));
}

TEST_CASE("while rounds are in progress the last fresh process is reserved for them") {
  Scene scene;
  (void)scene.add_finding("x = 1\n", "ready");
  CHECK_FALSE(scene.gathering().next(true, Clock::now()));
  const auto next = scene.gathering().next(false, Clock::now());
  REQUIRE(next);
  CHECK(next->tool == executor::tools().front().name);
  CHECK_FALSE(scene.gathering().next(false, Clock::now()));
}

TEST_CASE("compute-sanitizer runs on findings that are flaky on CUDA and its report decides the next step") {
  Scene scene;
  const auto flaky = scene.add_finding("x = 1\n", "held(flaky)", "cuda", 2);
  const auto on_the_processor = scene.add_finding("x = 2\n", "held(flaky)", "cpu", 2);
  const auto steady = scene.add_finding("x = 3\n", "held(stride)", "cuda", 3);
  std::vector<std::string> failures;
  CHECK(scene.gather(failures) == 3);
  CHECK(scene.store().inspections.tools_run(flaky) == std::vector<std::string>{"initcheck", "memcheck", "racecheck"});
  CHECK(scene.store().inspections.tools_run(on_the_processor).empty());
  CHECK(scene.store().inspections.tools_run(steady).empty());
  CHECK(scene.store().inspections.sanitizer_words(flaky).empty());

  agent::Recorder recorder(scene.store(), "", 0, {.known_max_age = std::chrono::seconds::max()});
  CHECK(recorder.sanitized(flaky, 8).empty());
  CHECK(scene.store().findings.find(flaky)->disposition.is_held("flaky"));
  scene.store().inspections.add({.finding = flaky,
                                 .tool = "memcheck",
                                 .torch = "0.0.fake",
                                 .device = "cuda",
                                 .text = "========= Invalid __global__ read of size 8 bytes\n"
                                         "=========     at triton_poi_fused_add_0+0xb0 in c1.py:24\n"
                                         "========= ERROR SUMMARY: 1 error\n",
                                 .at = 9});
  CHECK(recorder.sanitized(flaky, 9) ==
        std::vector<std::string>{"memcheck: Invalid __global__ read of size 8 in triton_poi_fused_add_0 at c1.py:24"});
  CHECK(scene.store().findings.find(flaky)->disposition.is_held("script"));
  scene.add_script(flaky, "# its script\n");
  scene.store().scripts.add_run({.finding = flaky, .torch = kTorch, .device = "cuda", .text = "shown\n"},
                                "# its script\n");
  recorder.script_ran(flaky, 10);
  CHECK(scene.store().findings.find(flaky)->disposition.is_ready());
  CHECK(scene.store().findings.find(flaky)->disposition.severity == 1);
}

TEST_CASE("the script of a finding that would be ready runs once, and again if it changes") {
  Scene scene;
  const auto finding = scene.add_unrun("# fake: script not shown: both run\n");
  (void)scene.add_finding("x = 1\n", "held(stride)");
  std::vector<std::string> failures;
  CHECK(scene.run_scripts(failures) == 1);
  CHECK(failures.empty());
  const auto runs = scene.store().scripts.runs(finding);
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].report.says == oracle::ScriptSays::not_shown);
  CHECK(runs[0].report.why == "both run");
  CHECK(runs[0].torch == "0.0.fake");
  CHECK(runs[0].at == 7);
  scene.gathering().look_again();
  CHECK(scene.run_scripts(failures) == 0);
  scene.add_script(finding, "x = 2\n");
  scene.gathering().look_again();
  CHECK(scene.run_scripts(failures) == 1);
  CHECK(scene.store().scripts.runs(finding)[0].report.says == oracle::ScriptSays::shown);
}

TEST_CASE("a script whose process dies is retried, then counts as undecided") {
  Scene scene;
  const auto dies = scene.add_unrun("# fake: die SIGKILL at inductor.compile\n");
  const auto other = scene.add_unrun("x = 1\n");
  std::vector<std::string> failures;
  CHECK(scene.run_scripts(failures) == 3);
  CHECK(failures == std::vector<std::string>{"its parent process was ended by signal 9"});
  CHECK(scene.store().scripts.runs(dies)[0].report.says == oracle::ScriptSays::cannot_tell);
  CHECK(scene.store().scripts.runs(dies)[0].report.why == "its parent process was ended by signal 9");
  CHECK(scene.store().scripts.runs(other)[0].report.says == oracle::ScriptSays::shown);
  scene.gathering().look_again();
  CHECK(scene.run_scripts(failures) == 0);
}

TEST_CASE("a script waits for the torch that its finding names") {
  Scene scene;
  (void)scene.add_unrun("x = 1\n");
  std::vector<std::string> failures;
  CHECK(scene.run_scripts(failures, {"9.9"}) == 0);
  scene.gathering().look_again();
  CHECK(scene.run_scripts(failures) == 1);
}

TEST_CASE("a finding is ready once its script has reproduced it on each available torch that it names") {
  Scene scene;
  const auto finding = scene.add_finding("x = 1\n", "ready");  // by an older parityd
  scene.add_script(finding, "# its script\n");
  agent::Recorder recorder(scene.store(), "", 0, {.known_max_age = std::chrono::seconds::max()});
  const auto ran = [&](const std::string& torch, const std::string& told) {
    scene.store().scripts.add_run({.finding = finding, .torch = torch, .device = "cpu", .text = told},
                                  "# its script\n");
    recorder.script_ran(finding, 8);
    return scene.store().findings.find(finding)->disposition.text();
  };
  recorder.set_torches({kTorch, "9.9"}, 7);
  CHECK(scene.store().findings.find(finding)->disposition.is_held("script"));
  CHECK(ran("9.9", "shown\n") == "held(script)");  // nobody claims that
  CHECK(ran(kTorch, "cannot tell: a signal\n") == "held(script)");
  CHECK(ran(kTorch, "shown\n") == "ready");
  scene.store().drafts.set({.finding = finding, .title = "t", .body = "b", .repro = "# its script\n", .created_at = 2});
  for (const char* const torch : {"9.9", "8.8"}) {  // the script has run on the one; the other has no workers
    recorder.add_recheck({.finding = finding, .torch = torch, .device = "cpu", .result = store::RecheckResult::still},
                         9);
    CHECK(scene.store().findings.find(finding)->disposition.is_ready());
  }
  recorder.set_torches({kTorch, "9.9", "8.8"}, 10);
  CHECK(scene.store().findings.find(finding)->disposition.is_held("script"));
  CHECK(ran("8.8", "not shown: both run\n") == "held(tampered)");
  CHECK(ran("8.8", "shown\n") == "held(tampered)");  // a person looks
}

TEST_CASE("observations of a hypothesis's program are added to the hypothesis, a failed inspection adds none") {
  Scene scene;
  const auto reply = scene.store().replies.reserve(
      {.provider = "p", .model = "m", .strategy = "s", .purpose = store::ReplyPurpose::generate});
  scene.store().hypotheses.put(reply, 1, "x.py:f:3: one", std::nullopt);
  scene.store().hypotheses.put(reply, 2, "x.py:g:9: another", std::nullopt);
  scene.gathering().look_for([&] {
    std::vector<agent::Look> wanted;
    for (const auto& each : scene.store().hypotheses.of_reply(reply)) {
      if (each.seen) continue;
      wanted.push_back({.hypothesis = each.id,
                        .program = each.place == 1 ? "x = 1\n" : "# fake: tool fails\n",
                        .device = "cpu",
                        .place = executor::SourceSpan{.file = "x.py", .first_line = 1, .last_line = 5}});
    }
    return wanted;
  });
  std::vector<std::string> failures;
  CHECK(scene.gather(failures) == 2);
  const auto seen = scene.store().hypotheses.of_reply(reply);
  CHECK(seen[0].seen == fmt::format("== place of hypothesis_{}.py\ntold\n", seen[0].id));
  CHECK(seen[1].seen == "");
  REQUIRE(failures.size() == 1);
  CHECK(failures[0].find("asked for") != std::string::npos);
}
