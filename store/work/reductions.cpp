#include "store/work/reductions.h"

#include <nlohmann/json.hpp>

#include "store/base/connection.h"

namespace parityd::store {
namespace {

std::vector<std::string> values_tried(const ExtentRow& extent, std::string_view aspect, bool shows) {
  std::vector<std::string> values;
  for (const auto& tried : nlohmann::json::parse(extent.tried_json)) {
    if (tried.at("aspect") == aspect && tried.at("shows") == shows) values.push_back(tried.at("value"));
  }
  return values;
}

}  // namespace

void Reductions::add_failed_trial(Id program, const std::string& text) {
  connection_.run("save a trial", "INSERT INTO failed_trials (program, text) VALUES (?, ?) ON CONFLICT DO NOTHING",
                  program, text);
}

std::vector<std::string> Reductions::failed_trials(Id program) const {
  return connection_.query("read trials", "SELECT text FROM failed_trials WHERE program = ?", program)
      .all<std::string>();
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
  return connection_
      .query("read a reduction",
             "SELECT program, text, options, statements_before, statements, lines, trials, seconds, "
             "why, at FROM reductions WHERE program = ?",
             program)
      .one<ReductionRow>(&ReductionRow::program, &ReductionRow::text, &ReductionRow::options_json,
                         &ReductionRow::statements_before, &ReductionRow::statements, &ReductionRow::lines,
                         &ReductionRow::trials, &ReductionRow::seconds, &ReductionRow::why, &ReductionRow::at);
}

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
  return connection_
      .query("read an attribution",
             "SELECT program, neutraliser, words, workaround, caveat, why, ablations, runs, seconds, at "
             "FROM attributions WHERE program = ?",
             program)
      .one<AttributionRow>(&AttributionRow::program, &AttributionRow::neutraliser, &AttributionRow::words,
                           &AttributionRow::workaround, &AttributionRow::caveat, &AttributionRow::why,
                           &AttributionRow::ablations_json, &AttributionRow::runs, &AttributionRow::seconds,
                           &AttributionRow::at);
}

void Reductions::set_extent(const ExtentRow& row) {
  connection_.run(
      "save an extent",
      "INSERT INTO extents (program, sentence, tried, runs, seconds, at) VALUES (?, ?, ?, ?, ?, ?) "
      "ON CONFLICT DO UPDATE SET sentence = excluded.sentence, tried = excluded.tried, runs = excluded.runs, "
      "seconds = excluded.seconds, at = excluded.at",
      row.program, row.sentence, row.tried_json, row.runs, row.seconds, row.at);
}

std::optional<ExtentRow> Reductions::extent(Id program) const {
  return connection_
      .query("read an extent", "SELECT program, sentence, tried, runs, seconds, at FROM extents WHERE program = ?",
             program)
      .one<ExtentRow>(&ExtentRow::program, &ExtentRow::sentence, &ExtentRow::tried_json, &ExtentRow::runs,
                      &ExtentRow::seconds, &ExtentRow::at);
}

std::vector<std::string> values_failing(const ExtentRow& extent, std::string_view aspect) {
  return values_tried(extent, aspect, true);
}

std::vector<std::string> values_agreeing(const ExtentRow& extent, std::string_view aspect) {
  return values_tried(extent, aspect, false);
}

bool any_threads(const ExtentRow& extent) {
  bool one = false;
  bool several = false;
  for (const auto& tried : nlohmann::json::parse(extent.tried_json)) {
    if (tried.at("aspect") == "threads" && tried.at("shows") == true) (tried.at("value") == "1" ? one : several) = true;
  }
  return one && several;
}

}  // namespace parityd::store
