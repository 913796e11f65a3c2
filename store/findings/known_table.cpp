#include "store/findings/known_table.h"

#include "store/base/connection.h"

namespace parityd::store {
namespace {

constexpr const char* kAsOf = "known_as_of";

}  // namespace

void Known::put(const std::vector<KnownIssue>& issues, KnownSource source, std::optional<Millis> as_of) {
  const bool guessed = source == KnownSource::guess;
  const auto before = gathered_at();
  // Outdated: the states in the table are newer. A state that GitHub has just returned is never outdated, even if a
  // wrong clock wrote the earlier time.
  const bool outdated = !guessed && before && (!as_of || *as_of < *before);
  connection_.transaction([&] {
    for (const KnownIssue& issue : issues) {
      connection_.run(
          "save a known issue",
          "INSERT INTO known_issues (number, title, state, operators, trait, kind, stage, device, error, "
          "guessed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT DO UPDATE SET "
          "state = CASE WHEN ?11 OR excluded.state = 'unknown' THEN known_issues.state ELSE excluded.state END, "
          "title = excluded.title, operators = excluded.operators, trait = excluded.trait, "
          "kind = excluded.kind, stage = excluded.stage, device = excluded.device, error = excluded.error, "
          "guessed = excluded.guessed WHERE known_issues.guessed OR NOT excluded.guessed",
          issue.number, issue.title, issue.state, issue.operators, issue.trait, issue.kind, issue.stage, issue.device,
          issue.error, guessed, outdated);
      if (guessed) {
        connection_.run("save a known issue's state", "UPDATE known_issues SET state = ? WHERE number = ?", issue.state,
                        issue.number);
      }
    }
    if (as_of && !outdated) values_.set(kAsOf, std::to_string(*as_of));
    std::vector<std::pair<Id, std::string>> queries;
    Rows rows = connection_.query("list what findings ask", "SELECT finding, query FROM known_queries");
    while (rows.next()) {
      auto& [finding, query] = queries.emplace_back();
      rows.read(finding, query);
    }
    const auto all = this->issues();
    for (const auto& [finding, query] : queries) match(finding, known_query_from_text(query), all);
  });
}

std::vector<KnownIssue> Known::issues() const {
  return connection_
      .query("list known issues",
             "SELECT number, title, state, operators, trait, kind, stage, device, error "
             "FROM known_issues ORDER BY number DESC")
      .all<KnownIssue>(&KnownIssue::number, &KnownIssue::title, &KnownIssue::state, &KnownIssue::operators,
                       &KnownIssue::trait, &KnownIssue::kind, &KnownIssue::stage, &KnownIssue::device,
                       &KnownIssue::error);
}

std::optional<Millis> Known::gathered_at() const {
  const auto text = values_.find(kAsOf);
  return text ? std::optional<Millis>(std::stoll(*text)) : std::nullopt;
}

void Known::set_query(Id finding, const KnownQuery& query) {
  connection_.transaction([&] {
    connection_.run("save what a finding asks",
                    "INSERT INTO known_queries (finding, query) VALUES (?, ?) ON CONFLICT DO UPDATE SET "
                    "query = excluded.query",
                    finding, known_query_text(query));
    match(finding, query, issues());
  });
}

std::vector<Id> Known::without_query() const {
  return connection_
      .query("list findings that never asked",
             "SELECT id FROM findings WHERE id NOT IN (SELECT finding FROM known_queries) ORDER BY id")
      .all<Id>();
}

void Known::match(Id finding, const KnownQuery& query, const std::vector<KnownIssue>& issues) {
  connection_.run("forget known matches", "DELETE FROM known_matches WHERE finding = ?", finding);
  int rank = 0;
  for (const KnownMatch& match : store::match_known(query, issues)) {
    connection_.run("save a known match",
                    "INSERT INTO known_matches (finding, rank, issue, confident, reason) VALUES (?, ?, ?, ?, ?)",
                    finding, ++rank, match.issue, match.confident, match.reason);
  }
}

std::vector<KnownMatch> Known::matches(Id finding) const {
  return connection_
      .query("read known matches",
             "SELECT m.issue, k.state, m.confident, m.reason FROM known_matches m "
             "JOIN known_issues k ON k.number = m.issue WHERE m.finding = ? ORDER BY m.rank",
             finding)
      .all<KnownMatch>(&KnownMatch::issue, &KnownMatch::state, &KnownMatch::confident, &KnownMatch::reason);
}

}  // namespace parityd::store
