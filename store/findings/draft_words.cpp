#include "store/base/connection.h"
#include "store/base/rows.h"

namespace parityd::store {

void Store::set_draft_words(const DraftWords& words) {
  state_->run("save a draft's words",
              "INSERT INTO draft_words (finding, writer, title, summary, why, at) VALUES (?, ?, ?, ?, ?, ?) "
              "ON CONFLICT DO UPDATE SET writer = excluded.writer, title = excluded.title, summary = excluded.summary, "
              "why = excluded.why, at = excluded.at",
              words.finding, words.writer, words.title, words.summary, words.why, words.at);
}

std::optional<DraftWords> Store::draft_words(Id finding) const {
  Rows rows =
      state_->query("read a draft's words",
                    "SELECT finding, writer, title, summary, why, at FROM draft_words WHERE finding = ?", finding);
  if (!rows.next()) return std::nullopt;
  DraftWords words;
  rows.read(words.finding, words.writer, words.title, words.summary, words.why, words.at);
  return words;
}

std::vector<Id> Store::findings_without_words(int limit) const {
  return ids_from(
      state_->query("list findings no model described",
                    "SELECT id FROM findings WHERE disposition = 'ready' AND status = 'new' AND merged_into IS NULL "
                    "AND id NOT IN (SELECT finding FROM draft_words) ORDER BY severity, id LIMIT ?",
                    limit));
}

}  // namespace parityd::store
