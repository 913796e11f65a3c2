// Several providers behind one: shares, fallbacks, and what goes on when one stops.
#include "agent/llm/providers.h"

#include <map>

#include "tests/agent/llm/builders.h"
#include "tests/catch.h"

namespace parityd::agent {
namespace {

constexpr TimePoint kNow{std::chrono::hours(1)};

class Stub : public Provider {
 public:
  Stub(std::string name, bool repairs) : name_(std::move(name)), repairs_(repairs) {}
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string model() const override { return name_ + "-model"; }
  [[nodiscard]] bool can_repair() const override { return repairs_; }
  [[nodiscard]] int capacity(TimePoint) const override { return stopped_ || parked ? 0 : room; }
  [[nodiscard]] bool available() const override { return !stopped_ && !parked; }
  [[nodiscard]] std::int64_t reserve_nano_dollars(const Prompt&) const override { return 1; }
  void submit(RequestId id, Prompt, TimePoint) override { asked.push_back(id); }
  [[nodiscard]] std::vector<Answer> take_answers(TimePoint) override { return {}; }
  [[nodiscard]] std::optional<TimePoint> next_deadline() const override { return deadline; }

  int room = 100;
  bool parked = false;
  std::vector<RequestId> asked;
  std::optional<TimePoint> deadline;

 private:
  std::string name_;
  bool repairs_;
};

struct Team {
  Stub& a;
  Stub& b;
  Stub& builtin;
  Providers all;
};

/// a has three quarters of the prompts, b the rest; builtin steps in.
Team team() {
  auto a = std::make_unique<Stub>("a", true);
  auto b = std::make_unique<Stub>("b", true);
  auto builtin = std::make_unique<Stub>("builtin", false);
  Stub& first = *a;
  Stub& second = *b;
  Stub& last = *builtin;
  std::vector<Providers::Member> members;
  members.push_back({.provider = std::move(a), .weight = 3});
  members.push_back({.provider = std::move(b), .weight = 1});
  members.push_back({.provider = std::move(builtin), .weight = 0});
  return {.a = first, .b = second, .builtin = last, .all = Providers(std::move(members))};
}

/// Who is asked first for each of `count` prompts of one turn.
std::map<std::string, int> asked(Providers& all, int count, Purpose purpose = Purpose::generate) {
  std::map<std::string, int> counts;
  for (int number = 0; number < count; ++number) {
    const auto candidates = all.candidates(purpose, kNow);
    if (candidates.empty()) {
      break;
    }
    all.promise(*candidates.front());
    counts[candidates.front()->name()] += 1;
    all.submit(number, {.provider = candidates.front()->name()}, kNow);
  }
  return counts;
}

using Counts = std::map<std::string, int>;

}  // namespace

TEST_CASE("prompts are shared by weight and the fallback gets none while others are available") {
  Team team = parityd::agent::team();
  CHECK(asked(team.all, 40) == Counts{{"a", 30}, {"b", 10}});
  CHECK(team.a.asked.size() == 30);
  CHECK(team.builtin.asked.empty());
  CHECK(team.all.name() == "a, b, builtin");
}

TEST_CASE("fault 28: when a provider stops the others take its share, and it is owed no prompts later") {
  Team team = parityd::agent::team();
  team.a.stop("a", "HTTP 401: no such key");
  CHECK(asked(team.all, 8) == Counts{{"b", 8}});
  CHECK_FALSE(team.all.stopped());
  const auto notices = team.all.take_notices();
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].kind == parityd::store::EventKind::provider_stopped);
  CHECK(notices[0].provider == "a");
  CHECK(notices[0].text == "provider a: HTTP 401: no such key");
  CHECK(team.all.take_notices().empty());
  team.b.parked = true;
  CHECK(asked(team.all, 5) == Counts{{"builtin", 5}});
  CHECK(asked(team.all, 5, Purpose::repair).empty());
  CHECK(team.all.can_repair());  // b comes back
  team.b.parked = false;
  CHECK(asked(team.all, 5) == Counts{{"b", 5}});
  team.all.stop("b", "no credit");
  CHECK_FALSE(team.all.can_repair());
  team.all.stop("builtin", "x");
  REQUIRE(team.all.stopped());
  CHECK(*team.all.stopped() == "a: HTTP 401: no such key; b: no credit; builtin: x");
}

TEST_CASE("a provider that was parked returns to its share without what it missed") {
  Team team = parityd::agent::team();
  team.a.parked = true;
  CHECK(asked(team.all, 100) == Counts{{"b", 100}});
  team.a.parked = false;
  const auto counts = asked(team.all, 40);
  CHECK(counts.at("a") <= 31);
  CHECK(counts.at("a") >= 29);
}

TEST_CASE("a provider that is full is not unavailable, so the fallback does not get what the others could soon take") {
  Team team = parityd::agent::team();
  team.a.room = 0;
  team.b.room = 0;
  CHECK(team.all.candidates(Purpose::generate, kNow).empty());
}

TEST_CASE("capacity promised in this turn is not promised twice") {
  Team team = parityd::agent::team();
  team.a.room = 2;
  team.b.room = 1;
  for (int number = 0; number < 3; ++number) {
    team.all.promise(*team.all.candidates(Purpose::generate, kNow).front());
  }
  CHECK(team.all.candidates(Purpose::generate, kNow).empty());
}

TEST_CASE("if the budget refuses the first provider the next ones are asked, the free one last") {
  Team team = parityd::agent::team();
  const auto candidates = team.all.candidates(Purpose::generate, kNow);
  REQUIRE(candidates.size() == 3);
  CHECK(candidates.back()->name() == "builtin");
  CHECK(team.all.candidates(Purpose::repair, kNow).size() == 2);
}

TEST_CASE("the earliest deadline is that of all providers") {
  Team team = parityd::agent::team();
  CHECK_FALSE(team.all.next_deadline());
  team.b.deadline = kNow;
  team.a.deadline = kNow + std::chrono::seconds(1);
  CHECK(team.all.next_deadline() == kNow);
}

}  // namespace parityd::agent
