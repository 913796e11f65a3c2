// A program's steps: what they send, and whose answers they take.
#include "agent/daemon/life/programs.h"

#include <fmt/format.h>

#include <sstream>

#include "executor/syntax/syntax_client.h"

#include "tests/agent/daemon/program/asked_workers.h"
#include "tests/catch.h"
#include "tests/executor/support.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::agent;
using oracle::Mode;

namespace {

/// A daemon without a loop: what a turn would send is sent by hand.
class Scene {
 public:
  /// Shown by its first round and reduced; no round of what it was reduced to has been run.
  store::Id reduced_program() {
    auto row = tests::a_program("p");
    row.state = store::ProgramState::confirming;
    const auto program = tests::added(store_, row);
    const executor::Job job{.program = row.text, .modes = {Mode::eager, Mode::inductor}};
    const auto evidence = workers_.evidence(job);
    const auto verdict = oracle::judge(evidence);
    REQUIRE(verdict.verdict == oracle::VerdictKind::inconsistent);
    store_.examinations.add({.program = program.id,
                             .purpose = store::Examination::confirmation,
                             .round = 1,
                             .evidence = evidence,
                             .verdict = verdict});
    store_.reductions.set(
        {.program = program.id, .text = row.text, .options_json = "{}", .why = "the time limit was reached"});
    ProgramTask& task = programs_.task(program.id);
    task.row.confirmation_rounds = task.row.confirmation_hits = 1;
    programs_.step(task, Begin{.verdict = verdict});
    return program.id;
  }

  /// How many new forms a screen of such a program compiles from.
  int compiles_from(store::Origin origin) {
    auto row = tests::a_program(fmt::format("of origin {}", static_cast<int>(origin)));
    row.origin = origin;
    ProgramTask& task = programs_.task(tests::added(store_, row).id);
    task.group = 0;
    programs_.step(task, Begin{});
    const std::size_t jobs = sent();
    return workers_.waiting()[jobs - 1].compile_from;
  }

  void answer(const Examined& examined) { programs_.examined(examined); }
  [[nodiscard]] InHand in_hand() const { return programs_.in_hand(); }
  /// Jobs that workers were given, by now.
  [[nodiscard]] std::size_t sent() {
    for (const auto& effect : std::exchange(turn_.outbox, {})) effect();
    return workers_.waiting().size();
  }

 private:
  tests::Folder folder_;
  store::Store store_{folder_.database(), store::Access::write};
  Config config_{.compile_sample = 0};
  AskedWorkers workers_{AskedWorkers::Raises{{Mode::inductor, {"Model"}}}};
  Alarms alarms_{store_, [](auto, auto, const auto&) {}};
  std::ostringstream shown_;
  Progress progress_{shown_, false, {}};
  LogFile log_;
  Turn turn_{.config = config_,
             .store = store_,
             .pool = workers_,
             .alarms = alarms_,
             .progress = progress_,
             .log = log_,
             .tested = 2};
  executor::SyntaxClient syntax_{"", executor::test::plain_python(), PARITYD_SOURCE_DIR "/executor/syntax/syntax.py",
                                 std::filesystem::temp_directory_path()};
  Workshop shop_{turn_, syntax_, folder_.path(), PARITYD_SOURCE_DIR "/store/draft.mustache"};
  Programs programs_{shop_};
};

}  // namespace

TEST_CASE("programs: a candidate that outlives its reduction starts no round") {
  Scene scene;
  const store::Id program = scene.reduced_program();
  const std::size_t round = scene.sent();
  REQUIRE(round > 0);
  CHECK(scene.in_hand().reducing == 1);
  CHECK(scene.in_hand().confirming == 0);
  scene.answer({.program = program, .what = Examination::candidate, .round = 7});
  CHECK(scene.sent() == round);
}

TEST_CASE("programs: all graphs of shipped, imported and rerun programs are compiled") {
  using enum store::Origin;
  Scene scene;
  for (const auto origin : {corpus, import, residual, sentinel}) CHECK(scene.compiles_from(origin) == 0);
  for (const auto origin : {composed, mutant, reply, repair}) CHECK(scene.compiles_from(origin) > 0);
}
