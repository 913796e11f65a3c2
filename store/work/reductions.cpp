#include "store/work/reductions.h"
#include "store/base/connection.h"

namespace parityd::store {

void Reductions::add_failed_trial(Id program, const std::string& text) {
  connection_.run("save a trial", "INSERT INTO failed_trials (program, text) VALUES (?, ?) ON CONFLICT DO NOTHING",
                  program, text);
}

std::vector<std::string> Reductions::failed_trials(Id program) const {
  Rows rows = connection_.query("read trials", "SELECT text FROM failed_trials WHERE program = ?", program);
  std::vector<std::string> texts;
  while (rows.next()) rows.read(texts.emplace_back());
  return texts;
}

void Reductions::set(const ReductionRow& row) {
  connection_.transaction([&] {
    connection_.run(
        "save a reduction",
        "INSERT INTO reductions (program, text, options, statements_before, statements, lines, trials, seconds, "
        "why, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET text = excluded.text, "
        "options = excluded.options, statements_before = excluded.statements_before, "
        "statements = excluded.statements, lines = excluded.lines, trials = excluded.trials, "
        "seconds = excluded.seconds, why = excluded.why, at = excluded.at",
        row.program, row.text, row.options_json, row.statements_before, row.statements, row.lines, row.trials,
        row.seconds, row.why, row.at);
    connection_.run("forget trials", "DELETE FROM failed_trials WHERE program = ?", row.program);
  });
}

std::optional<ReductionRow> Reductions::find(Id program) const {
  Rows rows = connection_.query("read a reduction",
                                "SELECT program, text, options, statements_before, statements, lines, trials, seconds, "
                                "why, at FROM reductions WHERE program = ?",
                                program);
  if (!rows.next()) return std::nullopt;
  ReductionRow row;
  rows.read(row.program, row.text, row.options_json, row.statements_before, row.statements, row.lines, row.trials,
            row.seconds, row.why, row.at);
  return row;
}

}  // namespace parityd::store
