#include "store/upkeep/retention.h"

#include <array>

#include "store/base/connection.h"

namespace parityd::store {
namespace {

/// The first program that was not examined yet.
constexpr const char* kCursor = "retention_from";

/// One in this many keeps its measurements forever: rules are tested on them (`parityd rejudge`), and each torch that
/// was run stays known.
constexpr int kKeptOneIn = 50;

constexpr Millis kBlobGrace = kHour;  // its row may be about to be written

/// For one examination, children first.
constexpr std::array<const char*, 4> kForget{
    "DELETE FROM measured_leaves WHERE measurement IN (SELECT id FROM measurements WHERE examination = ?)",
    "DELETE FROM measurements WHERE examination = ?", "DELETE FROM runs WHERE examination = ?",
    "DELETE FROM verdicts WHERE examination = ?"};

/// Some belong to a finding although they are consistent on their own.
constexpr const char* kIsEvidence =
    "SELECT EXISTS (SELECT 1 FROM findings WHERE program = ?1) OR EXISTS (SELECT 1 FROM occurrences WHERE program = "
    "?1) OR EXISTS (SELECT 1 FROM oddities WHERE program = ?1)";

void forget_examination(Connection& connection, Id examination) {
  for (const char* const sql : kForget) connection.run("forget a consistent program's runs", sql, examination);
  connection.run("forget a consistent program's runs", "DELETE FROM examinations WHERE id = ?", examination);
}

bool is_evidence(Connection& connection, Id program) {
  return connection.query("look whether a program is evidence", kIsEvidence, program).value<bool>();
}

struct Candidate {
  Id id = 0;
  Millis finished_at = 0;
};

std::vector<Candidate> consistent_from(Connection& connection, Id from, int limit) {
  return connection
      .query("look for programs to forget",
             "SELECT id, finished_at FROM programs WHERE verdict = 'consistent' AND state = 'finished' "
             "AND id >= ? ORDER BY id LIMIT ?",
             from, limit)
      .all<Candidate>(&Candidate::id, &Candidate::finished_at);
}

}  // namespace

Id Retention::newest_consistent_but(std::int64_t number) const {
  return connection_
      .query("count consistent programs",
             "SELECT id FROM programs WHERE verdict = 'consistent' AND state = 'finished' ORDER BY id DESC "
             "LIMIT 1 OFFSET ?",
             number)
      .value<Id>();
}

int Retention::forget_consistent(Id before, Millis finished_before, int limit) {
  int looked_at = 0;
  connection_.transaction([&] {
    Id from = std::stoll(values_.find(kCursor).value_or("1"));
    for (const Candidate& candidate : consistent_from(connection_, from, limit)) {
      if (candidate.id >= before && candidate.finished_at >= finished_before) break;
      ++looked_at;
      from = candidate.id + 1;
      if (candidate.id % kKeptOneIn == 0 || is_evidence(connection_, candidate.id)) continue;
      const auto examinations =
          connection_
              .query("list a program's examinations", "SELECT id FROM examinations WHERE program = ?", candidate.id)
              .all<Id>();
      for (const Id examination : examinations) forget_examination(connection_, examination);
    }
    if (looked_at > 0) values_.set(kCursor, std::to_string(from));
  });
  return looked_at;
}

int Retention::collect_blobs(Millis now, int limit) {
  const auto loose = connection_
                         .query("look for texts that nothing refers to",
                                "SELECT hash FROM blobs b WHERE NOT EXISTS (SELECT 1 FROM inspections i WHERE i.blob = "
                                "b.hash) AND hash NOT IN (SELECT reply FROM fixes WHERE reply IS NOT NULL UNION SELECT "
                                "diff FROM fixes WHERE diff IS NOT NULL UNION SELECT test FROM fixes WHERE test IS NOT "
                                "NULL) AND made_at <= ? LIMIT ?",
                                now - kBlobGrace, limit)
                         .all<std::string>();
  if (loose.empty()) return 0;
  connection_.transaction([&] {
    for (const auto& hash : loose) connection_.run("forget a text", "DELETE FROM blobs WHERE hash = ?", hash);
  });
  return static_cast<int>(loose.size());
}

}  // namespace parityd::store
