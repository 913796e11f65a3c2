// The stock of bred programs: filled by screened mutants and composed ones, refilled when it runs low.
#include "agent/daemon/supply/breeding.h"

#include <map>
#include <set>

#include "executor/syntax/syntax_client.h"
#include "tests/catch.h"
#include "tests/executor/support.h"
#include "tests/store/fixture.h"

using namespace parityd;
using executor::Clock;

namespace {

constexpr const char* kSyntax = PARITYD_SOURCE_DIR "/executor/syntax/syntax.py";

std::string computing(const std::string& expression, const std::string& more = "") {
  return "import torch\n" + more + "\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return " +
         expression + "\n\n\ndef get_inputs():\n    return [torch.randn(2, 3)]\n";
}

class Scene {
 public:
  explicit Scene(double share = 0.5)
      : syntax_("", executor::test::plain_python(), kSyntax, pool_.folder().path() / "syntax"),
        examiner_(*pool_, pool_.folder().path() / "rounds", 0),
        breeding_(store_, examiner_, syntax_, agent::recent_parents(store_), 1, share) {}

  store::Id add_parent(const std::string& text, oracle::VerdictKind verdict = oracle::VerdictKind::consistent) {
    auto row = tests::finished(tests::a_program(text), verdict);
    row.text = text;
    row.strategy = "views";
    return tests::added(store_, row).id;
  }

  /// A hypothesis about dtypes was right about it.
  void show(store::Id program, const std::string& disposition) {
    const auto reply = store_.replies.reserve(
        {.provider = "p", .model = "m", .strategy = "source", .purpose = store::ReplyPurpose::generate});
    store_.hypotheses.put(reply, 1, "a.py:f:1: another dtype", program);
    auto finding = tests::a_finding(program, "hash " + std::to_string(program));
    finding.disposition = oracle::disposition_from_text(disposition).value();
    store_.groups.add_occurrence(store_.findings.add(finding), program, "first", 1);
  }

  /// Services until the stock holds so many, or the batch came to nothing.
  void breed(std::size_t wanted) {
    pool_.until([&] {
      turn();
      return breeding_.stock() >= wanted || !breeding_.problem().empty();
    });
  }
  void turn() {
    syntax_.poll();
    (void)examiner_.drain_results(Clock::now());
    breeding_.take_sifted();
    breeding_.refill(Clock::now());
  }
  std::vector<agent::Arrival> take_mutants() {
    auto all = take_all();
    std::erase_if(all, [](const agent::Arrival& arrival) { return arrival.origin != store::Origin::mutant; });
    return all;
  }
  std::vector<agent::Arrival> take_all() {
    std::vector<agent::Arrival> all;
    while (auto one = breeding_.pop()) all.push_back(std::move(*one));
    return all;
  }

  agent::Breeding& breeding() { return breeding_; }
  agent::Examiner& examiner() { return examiner_; }
  executor::test::FakePool& pool() { return pool_; }

 private:
  tests::Folder folder_;
  store::Store store_{folder_.database(), store::Access::write};
  executor::test::FakePool pool_;
  executor::SyntaxClient syntax_;
  agent::Examiner examiner_;
  agent::Breeding breeding_;
};

}  // namespace

TEST_CASE("without parents composed programs are made and none is made twice") {
  Scene scene;
  scene.breed(1);
  std::set<std::string> texts;
  for (int batch = 0; batch < 2; ++batch) {
    for (const auto& arrival : scene.take_all()) {
      CHECK(arrival.origin == store::Origin::composed);
      CHECK_FALSE(arrival.parent.has_value());
      CHECK(texts.insert(arrival.text).second);
    }
    scene.breed(1);
  }
  CHECK(texts.size() >= 20);
}

TEST_CASE("consistent programs become parents, and a mutant names its parent and edit") {
  Scene scene;
  const auto parent = scene.add_parent(computing("x.sin()"));
  scene.add_parent(computing("x.exp()"), oracle::VerdictKind::invalid);
  scene.breed(20);
  const auto mutants = scene.take_mutants();
  for (const auto& arrival : mutants) {
    CHECK(arrival.parent == parent);
    CHECK(arrival.round == 0);
    CHECK(arrival.strategy == "views");
    CHECK(arrival.source.find(": ") != std::string::npos);
    CHECK(arrival.text.find("exp()") == std::string::npos);
  }
  CHECK(mutants.size() >= 20 - 12);
}

TEST_CASE("a program that showed a hypothesis becomes a parent although it is inconsistent") {
  Scene scene;
  const auto shown = scene.add_parent(computing("x.cos()"), oracle::VerdictKind::inconsistent);
  scene.show(shown, "ready");
  scene.show(scene.add_parent(computing("x.exp()"), oracle::VerdictKind::inconsistent), "known(197893)");
  scene.breed(1);
  const auto mutants = scene.take_mutants();
  for (const auto& arrival : mutants) {
    CHECK(arrival.parent == shown);
    CHECK(arrival.source.find("dtype") != std::string::npos);
  }
  CHECK_FALSE(mutants.empty());
}

TEST_CASE("composed programs alone do not fill the stock") {
  Scene scene;
  scene.breed(1);
  const auto composed = scene.breeding().stock();
  for (int turn = 0; turn < 3; ++turn) scene.turn();
  CHECK(scene.pool()->idle());
  CHECK(scene.breeding().stock() == composed);
}

TEST_CASE("programs rejected by prescreening are not in the stock") {
  Scene scene;
  scene.add_parent(computing("x.sin()", "# fake: unfit\n"));
  scene.breed(1);
  for (const auto& arrival : scene.take_all()) CHECK(arrival.origin == store::Origin::composed);
}

TEST_CASE("a prescreening that dies is reported and the next one waits") {
  Scene scene;
  scene.add_parent(computing("x.sin()", "# fake: die screened\n"));
  scene.breed(1);
  CHECK_FALSE(scene.breeding().problem().empty());
  CHECK(scene.breeding().stock() == 0);
  const auto begun = scene.pool()->counts();
  for (int turn = 0; turn < 3; ++turn) scene.turn();
  CHECK(scene.pool()->counts().queued == begun.queued);
  CHECK(scene.pool()->idle());
}

TEST_CASE("the share decides how often the stock is used, and zero disables mutation") {
  Scene half(0.25);
  int turns = 0;
  for (int ask = 0; ask < 40; ++ask) turns += half.breeding().its_turn() ? 1 : 0;
  CHECK(turns == 10);
  Scene none(0);
  for (int turn = 0; turn < 3; ++turn) none.turn();
  CHECK(none.pool()->idle());
  CHECK_FALSE(none.breeding().pop().has_value());
}
