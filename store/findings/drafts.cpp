#include "store/findings/drafts.h"
#include "store/base/connection.h"
#include "store/base/content_hash.h"
#include "store/base/rows.h"
#include "store/findings/draft_slots.h"

namespace parityd::store {

void Drafts::set(const DraftRow& row) {
  const auto of = findings_.find(row.finding);
  const std::string all = row.title + "\n" + row.body + "\n" + row.repro + "\n" + (of ? of->reduced : "");
  connection_.run(
      "save a draft",
      "INSERT INTO drafts (finding, title, body, repro, created_at, hash) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT "
      "DO UPDATE SET title = excluded.title, body = excluded.body, repro = excluded.repro, "
      "created_at = excluded.created_at, hash = excluded.hash",
      row.finding, row.title, row.body, row.repro, row.created_at, content_hash(all));
}

std::optional<DraftRow> Drafts::find(Id id) const {
  Rows rows = connection_.query("read a draft",
                                "SELECT finding, title, body, repro, created_at FROM drafts WHERE finding = ?", id);
  const auto of = findings_.find(id);
  if (!rows.next() || !of) return std::nullopt;
  DraftRow row;
  rows.read(row.finding, row.title, row.body, row.repro, row.created_at);
  std::string checked;
  for (const TriageRow& decision : triage_.of(id)) checked = decision.checked.empty() ? checked : decision.checked;
  row.body = filled_draft(std::move(row.body), {.finding = *of,
                                                .checked = checked,
                                                .known = known_.matches(id),
                                                .traced = inspections_.find(id, "trace").has_value(),
                                                .sanitized = inspections_.sanitizer_words(id),
                                                .rechecks = rechecks_.of(id),
                                                .scripts = scripts_.runs(id)});
  return row;
}

}  // namespace parityd::store
