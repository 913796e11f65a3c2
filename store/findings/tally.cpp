#include "store/findings/tally.h"

#include <array>

#include "store/base/connection.h"
#include "store/work/programs.h"

namespace parityd::store {
namespace {

constexpr Millis kPause = 600'000;  // longer without a new program counts as a pause

/// Each row is a group of similar chains, with their number.
void add_chains(Counts& counts, Rows rows) {
  while (rows.next()) {
    ProgramState state{};
    auto verdict = oracle::VerdictKind::invalid;  // rows without a verdict are not counted by verdict
    std::int64_t valid = 0, repaired = 0, chains = 0;
    rows.read(state, verdict, valid, repaired, chains);
    counts.programs += chains;
    // A suspect under confirmation has run, though it has no verdict yet.
    counts.valid += valid == 1 || state == ProgramState::confirming ? chains : 0;
    counts.repaired += repaired * chains;
    // In the order of the enumeration.
    constexpr std::array kOfVerdict{&Counts::consistent, &Counts::invalid, &Counts::inconsistent, &Counts::excused,
                                    &Counts::unstable};
    if (state == ProgramState::finished) counts.*kOfVerdict.at(static_cast<std::size_t>(verdict)) += chains;
  }
}

void add_replies(Counts& counts, Rows rows) {
  while (rows.next()) {
    std::string state;
    std::int64_t replies = 0, prompt_tokens = 0, completion_tokens = 0, charged = 0;
    rows.read(state, replies, prompt_tokens, completion_tokens, charged);
    counts.replies += replies;
    counts.failed_replies += state == "failed" || state == "unknown" ? replies : 0;
    counts.prompt_tokens += prompt_tokens;
    counts.completion_tokens += completion_tokens;
    counts.spent_nano_dollars += charged;
  }
}

template <typename... Values>
std::int64_t number(Connection& connection, const char* sql, const Values&... values) {
  return connection.query("count", sql, values...).template value<std::int64_t>();
}

}  // namespace

Counts Tally::all() const {
  Counts counts;
  Connection& connection = connection_;
  add_chains(counts,
             connection.query("count programs", "SELECT state, verdict, valid, repaired, chains FROM chain_tally"));
  add_replies(counts, connection.query("count replies",
                                       "SELECT state, replies, prompt_tokens, completion_tokens, "
                                       "charged_nano_dollars FROM reply_tally"));
  const auto in_state = [&](ProgramState state) {
    return number(connection, "SELECT count(*) FROM programs WHERE state = ?", state);
  };
  counts.queued = in_state(ProgramState::queued);
  counts.repairing = in_state(ProgramState::repairing);
  counts.confirming = in_state(ProgramState::confirming);
  counts.pending =
      number(connection, "SELECT count(*) FROM programs WHERE state = 'confirming' AND next_step LIKE 'pending: %'");
  counts.confirmed =
      number(connection, "SELECT count(*) FROM programs WHERE state = 'confirming' AND confirmation_hits > 0");
  counts.suspects = number(connection, "SELECT count(*) FROM programs WHERE suspect = 1");
  counts.findings = number(connection, "SELECT count(*) FROM findings WHERE merged_into IS NULL");
  counts.occurrences =
      number(connection, "SELECT coalesce(sum(occurrences), 0) FROM findings WHERE merged_into IS NULL");
  counts.held_flaky =
      number(connection, "SELECT count(*) FROM findings WHERE disposition = 'held(flaky)' AND merged_into IS NULL");
  counts.state_dependent = number(connection, "SELECT count(*) FROM oddities WHERE what = 'state_dependent'");
  counts.harness_failures = number(connection, "SELECT count(*) FROM harness_failures");
  return counts;
}

Counts Tally::since(Millis since) const {
  Counts counts;
  Connection& connection = connection_;
  add_chains(counts, connection.query("count programs",
                                      "SELECT state, verdict, valid, repaired, count(*) FROM chains "
                                      "WHERE created_at >= ? GROUP BY 1, 2, 3, 4",
                                      since));
  add_replies(counts, connection.query("count replies",
                                       "SELECT state, count(*), sum(prompt_tokens), sum(completion_tokens), "
                                       "sum(charged_nano_dollars) FROM replies WHERE reserved_at >= ? GROUP BY state",
                                       since));
  const auto in_state = [&](ProgramState state) {
    return number(connection, "SELECT count(*) FROM programs WHERE state = ? AND created_at >= ?", state, since);
  };
  counts.queued = in_state(ProgramState::queued);
  counts.repairing = in_state(ProgramState::repairing);
  counts.confirming = in_state(ProgramState::confirming);
  const auto [suspects, state_dependent] = suspects_since(since);
  counts.suspects = suspects;
  counts.state_dependent = state_dependent;
  counts.findings =
      number(connection, "SELECT count(*) FROM findings WHERE created_at >= ? AND merged_into IS NULL", since);
  counts.occurrences = number(connection, "SELECT count(*) FROM occurrences WHERE at >= ?", since);
  counts.held_flaky = number(
      connection,
      "SELECT count(*) FROM findings WHERE disposition = 'held(flaky)' AND created_at >= ? AND merged_into IS NULL",
      since);
  counts.harness_failures = number(connection, "SELECT count(*) FROM harness_failures WHERE at >= ?", since);
  return counts;
}

SuspectCounts Tally::suspects_since(Millis since) const {
  return {.suspects = number(connection_, "SELECT count(*) FROM programs WHERE suspect = 1 AND created_at >= ?", since),
          .state_dependent =
              number(connection_, "SELECT count(*) FROM oddities WHERE what = 'state_dependent' AND at >= ?", since)};
}

std::vector<FindingCount> Tally::findings() const {
  return connection_
      .query("count findings",
             "SELECT substr(disposition, 1, instr(disposition || '(', '(') - 1), status, count(*) "
             "FROM findings WHERE merged_into IS NULL GROUP BY 1, 2")
      .all<FindingCount>(&FindingCount::disposition, &FindingCount::status, &FindingCount::findings);
}

Millis Tally::active_since(Millis since) const {
  return number(connection_,
                "SELECT coalesce(sum(gap), 0) FROM (SELECT created_at - lag(created_at) OVER (ORDER BY created_at) AS "
                "gap FROM chains WHERE created_at >= ?) WHERE gap <= ?",
                since, kPause);
}

}  // namespace parityd::store
