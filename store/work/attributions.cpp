#include "store/base/connection.h"
#include "store/work/reductions.h"

namespace parityd::store {

void Reductions::set_attribution(const AttributionRow& row) {
  connection_.run("save an attribution",
                  "INSERT INTO attributions (program, neutraliser, words, workaround, caveat, why, ablations, runs, "
                  "seconds, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                  "neutraliser = excluded.neutraliser, words = excluded.words, workaround = excluded.workaround, "
                  "caveat = excluded.caveat, why = excluded.why, ablations = excluded.ablations, runs = excluded.runs, "
                  "seconds = excluded.seconds, at = excluded.at",
                  row.program, row.neutraliser, row.words, row.workaround, row.caveat, row.why, row.ablations_json,
                  row.runs, row.seconds, row.at);
}

std::optional<AttributionRow> Reductions::attribution(Id program) const {
  Rows rows =
      connection_.query("read an attribution",
                        "SELECT program, neutraliser, words, workaround, caveat, why, ablations, runs, seconds, at "
                        "FROM attributions WHERE program = ?",
                        program);
  if (!rows.next()) return std::nullopt;
  AttributionRow row;
  rows.read(row.program, row.neutraliser, row.words, row.workaround, row.caveat, row.why, row.ablations_json, row.runs,
            row.seconds, row.at);
  return row;
}

}  // namespace parityd::store
