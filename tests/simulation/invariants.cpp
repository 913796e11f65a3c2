#include "tests/simulation/invariants.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tests/simulation/nature.h"

namespace parityd::simulation {
namespace {

using namespace std::chrono_literals;
using Wrong = std::vector<std::string>;

constexpr auto kLongestWait =
    std::chrono::hours(72);  // of a repair for its turn: two days' budget may be spent, the clock may jump
constexpr auto kLongestWork = std::chrono::hours(8);  // of anything else: workers may be out of order, the disk full
constexpr std::int64_t kMostQueued = 300, kMostGating = 2100;

std::int64_t number(SQLite::Database& database, const std::string& query) {
  SQLite::Statement statement(database, query);
  return statement.executeStep() ? statement.getColumn(0).getInt64() : 0;
}

std::int64_t nano_dollars(double dollars) { return static_cast<std::int64_t>(dollars * 1e9); }

void at_most(Wrong& wrong, SQLite::Database& database, const char* what, std::int64_t most, const std::string& query) {
  if (const auto found = number(database, query); found > most) {
    wrong.push_back(fmt::format("{}: {}, at most {}", what, found, most));
  }
}

void none(Wrong& wrong, SQLite::Database& database, const char* what, const std::string& query) {
  at_most(wrong, database, what, 0, query);
}

void no_negative_ages(Wrong& wrong, SQLite::Database& database) {
  none(wrong, database, "latencies below 0", "SELECT count(*) FROM replies WHERE latency_ms < 0");
  none(wrong, database, "worker seconds below 0", "SELECT count(*) FROM worker_seconds WHERE seconds < 0");
}

/// By the labels of the wall clock, whatever it does.
void caps(Wrong& wrong, SQLite::Database& database, const Plan& plan) {
  const auto cap = [&](double dollars, const char* what, int minutes) {
    if (dollars > 0) {
      at_most(wrong, database, what, nano_dollars(dollars),
              fmt::format("SELECT max(spent) FROM (SELECT sum(charged_nano_dollars) AS spent FROM spending "
                          "GROUP BY minute / {})",
                          minutes));
    }
  };
  cap(plan.dollars_per_day, "nano-dollars of a day", 24 * 60);
  cap(plan.dollars_per_hour, "nano-dollars of an hour", 60);
}

/// Two findings of one cause and kind are one too many. What is flaky has a kind of its own here.
void each_cause_once(Wrong& wrong, SQLite::Database& database) {
  std::set<std::pair<int, int>> seen;
  SQLite::Statement findings(database, "SELECT id, reduced FROM findings WHERE merged_into IS NULL");
  while (findings.executeStep()) {
    const Nature nature = nature_of(findings.getColumn(1).getString());
    if (!seen.emplace(static_cast<int>(nature.kind), nature.cause).second) {
      wrong.push_back(fmt::format("finding {} is of a cause that has one", findings.getColumn(0).getInt64()));
    }
  }
}

void each_program_there(Wrong& wrong, SQLite::Database& database, const std::set<std::int64_t>& answered) {
  std::set<std::int64_t> stored;
  SQLite::Statement programs(database, "SELECT text FROM programs");
  while (programs.executeStep()) {
    stored.insert(nature_of(programs.getColumn(0).getString()).number);
  }
  const auto lost = std::ranges::count_if(answered, [&](std::int64_t each) { return !stored.contains(each); });
  if (lost > 0) {
    wrong.push_back(fmt::format("{} programs were answered and are lost", lost));
  }
}

}  // namespace

void Invariants::look_for_stuck(SQLite::Database& database, TimePoint now, Wrong& wrong) {
  std::map<std::int64_t, TimePoint> unfinished;
  SQLite::Statement programs(database, "SELECT id, state FROM programs WHERE state != 'finished'");
  while (programs.executeStep()) {
    const auto id = programs.getColumn(0).getInt64();
    const auto known = unfinished_.find(id);
    const TimePoint since = known == unfinished_.end() ? now : known->second;
    unfinished.emplace(id, since);
    const std::string state = programs.getColumn(1).getString();
    if (now - since > (state == "repairing" ? kLongestWait : kLongestWork)) {
      wrong.push_back(fmt::format("program {} has been {} for {} hours", id, state,
                                  std::chrono::duration_cast<std::chrono::hours>(now - since).count()));
    }
  }
  unfinished_ = std::move(unfinished);
}

Wrong Invariants::hourly(const SimulatedApi::Book& book, TimePoint now) {
  SQLite::Database database(database_.string(), SQLite::OPEN_READONLY, 1000);
  Wrong wrong;
  if (number(database, "SELECT coalesce(sum(charged_nano_dollars), 0) FROM spending") < book.billed_nano_dollars) {
    wrong.push_back("the API's bill is larger than what is charged");
  }
  caps(wrong, database, plan_);
  at_most(wrong, database, "queued programs", kMostQueued, "SELECT count(*) FROM programs WHERE state = 'queued'");
  at_most(wrong, database, "suspects", kMostGating, "SELECT count(*) FROM programs WHERE state = 'confirming'");
  look_for_stuck(database, now, wrong);
  return wrong;
}

Wrong Invariants::daily(const SimulatedApi::Book& book) const {
  SQLite::Database database(database_.string(), SQLite::OPEN_READONLY, 1000);
  Wrong wrong;
  const auto tokens = number(
      database, "SELECT coalesce(sum(prompt_tokens + completion_tokens), 0) FROM replies WHERE state = 'answered'");
  if (tokens != book.tokens) {
    wrong.push_back(fmt::format("the book has {} tokens of answers, the database {}", book.tokens, tokens));
  }
  const auto charged = number(database, "SELECT coalesce(sum(charged_nano_dollars), 0) FROM replies");
  if (charged != number(database, "SELECT coalesce(sum(charged_nano_dollars), 0) FROM spending")) {
    wrong.push_back("the sums of spending are not those of the replies");
  }
  none(wrong, database, "identities twice", "SELECT count(*) - count(DISTINCT identity) FROM programs");
  none(wrong, database, "signatures twice", "SELECT count(*) - count(DISTINCT signature_hash) FROM findings");
  no_negative_ages(wrong, database);
  each_cause_once(wrong, database);
  return wrong;
}

Wrong Invariants::final(const SimulatedApi::Book& book) const {
  Wrong wrong = daily(book);
  SQLite::Database database(database_.string(), SQLite::OPEN_READONLY, 1000);
  none(wrong, database, "replies left reserved", "SELECT count(*) FROM replies WHERE state = 'reserved'");
  none(wrong, database, "answers never taken in",
       "SELECT count(*) FROM replies WHERE state = 'answered' AND processed = 0");
  none(wrong, database, "programs not finished", "SELECT count(*) FROM programs WHERE state != 'finished'");
  none(wrong, database, "findings without a draft",
       "SELECT count(*) FROM findings WHERE id NOT IN (SELECT finding FROM drafts)");
  none(wrong, database, "inconsistent programs that are not exactly one occurrence",
       "SELECT count(*) FROM programs p WHERE verdict = 'inconsistent' AND "
       "(SELECT count(*) FROM occurrences o WHERE o.program = p.id) != 1");
  each_program_there(wrong, database, book.programs);
  if (number(database, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check != 'ok'") > 0) {
    wrong.push_back("the database is damaged");
  }
  return wrong;
}

}  // namespace parityd::simulation
