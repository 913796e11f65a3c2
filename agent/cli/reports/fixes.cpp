#include "agent/cli/reports/fixes.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "agent/cli/json.h"
#include "agent/cli/reading.h"
#include "agent/cli/table.h"
#include "agent/llm/price.h"

namespace parityd::agent {
namespace {

using store::FixResult;

std::string asked_words(const store::FixTry& row) {
  const std::string at = utc(row.at) + " UTC";
  if (row.model.empty()) return "no model, " + at;
  if (row.provider.empty()) return fmt::format("{} by hand, {}", row.model, at);
  return fmt::format("{} ({}), {}: {} tokens in, {} out, ${:.4f}", row.model, row.provider, at, row.prompt_tokens,
                     row.completion_tokens, in_dollars(row.nano_dollars));
}

void print_try(Context& context, const store::FixTry& row) {
  const auto line = [&](std::string_view label, const std::string& text) {
    if (!text.empty()) context.out << fmt::format("{:<15}{}\n", label, printable_line(text));
  };
  context.heading(fmt::format("Change of torch, try {}: {}", row.number, words_of(row.result)));
  line("why", row.why);
  line("asked", asked_words(row));
  if (!row.diff.empty()) {
    line("change", fmt::format("{} line{} in {}", row.changed_lines, row.changed_lines == 1 ? "" : "s",
                               fmt::join(row.functions, ", ")));
  }
  line("checked", row.checks.empty()
                      ? ""
                      : fmt::format("with torch {} on {}, {:.1f} seconds", row.torch, row.device, row.seconds));
  line("newest torch", row.newest);
  line("vanish with it", row.also_gone.empty() ? "" : fmt::format("findings {}", fmt::join(row.also_gone, ", ")));
  print_checks(context, row.checks);
}

/// Of the findings whose place is in Python.
std::string accepted_share(const store::FixTally& row) {
  const auto left = row.failed.find(FixResult::not_python);
  const std::int64_t in_python = row.findings - (left == row.failed.end() ? 0 : left->second);
  if (in_python == 0) return "-";
  return fmt::format("{:.0f} %", 100 * static_cast<double>(row.accepted) / static_cast<double>(in_python));
}

std::string failed_words(const store::FixTally& row) {
  std::vector<std::string> words;
  for (const auto& [result, number] : row.failed) words.push_back(fmt::format("{} {}", number, words_of(result)));
  return fmt::format("{}", fmt::join(words, ", "));
}

store::FixTally sum_of_tallies(const std::vector<store::FixTally>& rows) {
  store::FixTally all{.area = "all"};
  for (const auto& row : rows) {
    all.findings += row.findings;
    all.accepted += row.accepted;
    for (const auto& [result, number] : row.failed) all.failed[result] += number;
    all.tries += row.tries;
    all.nano_dollars += row.nano_dollars;
    all.seconds += row.seconds;
  }
  return all;
}

nlohmann::json fix_row_json(const store::FixTally& row) {
  auto failed = nlohmann::json::object();
  for (const auto& [result, number] : row.failed) failed[std::string(oracle::name(result))] = number;
  return {
      {"area", row.area},         {"kind", row.kind}, {"model", row.model}, {"findings", row.findings},
      {"accepted", row.accepted}, {"failed", failed}, {"tries", row.tries}, {"dollars", in_dollars(row.nano_dollars)},
      {"seconds", row.seconds}};
}

}  // namespace

std::string words_of(FixResult result) {
  std::string words(oracle::name(result));
  std::ranges::replace(words, '_', ' ');
  return words;
}

void print_checks(Context& context, const std::vector<store::FixCheck>& checks) {
  Table table({"check", "result", "ran", "failed", "seconds", "what it saw"});
  table.align_right({2, 3, 4});
  for (const auto& check : checks) {
    table.add(cells(check.name, check.result == FixResult::accepted ? "passed" : words_of(check.result), check.ran,
                    check.failed, fmt::format("{:.1f}", check.seconds), check.told));
  }
  if (!table.empty()) context.out << table.text(context.screen);
  for (const auto& check : checks) {
    if (check.failing.empty()) continue;
    context.out << fmt::format("{:<15}{}\n", "failing",
                               printable_line(fmt::format("{}", fmt::join(check.failing, ", "))));
  }
}

nlohmann::json try_json(const store::FixTry& row) {
  auto json = store::fix_json(row);
  json.erase("finding");
  json.erase("nano_dollars");
  json["at"] = utc(row.at);
  json["dollars"] = in_dollars(row.nano_dollars);
  return json;
}

void print_tries(Context& context, const std::vector<store::FixTry>& tries) {
  for (const auto& row : tries) print_try(context, row);
  const auto accepted =
      std::find_if(tries.rbegin(), tries.rend(), [](const auto& row) { return row.result == FixResult::accepted; });
  if (accepted == tries.rend()) return;
  context.heading(fmt::format("Diff of try {}, written by a language model, not reviewed", accepted->number));
  context.out << printable(accepted->diff);
}

void print_fix_tally(Context& context, const store::Store& store) {
  const auto rows = store.fixes.tally();
  if (rows.empty()) {
    context.out << "no model has been asked for a change of torch yet\n";
    return;
  }
  Table table({"area", "kind", "model", "findings", "accepted", "share", "tries", "dollars", "not accepted"});
  table.align_right({3, 4, 5, 6, 7});
  const auto add = [&](const store::FixTally& row) {
    table.add(cells(row.area, row.kind, row.model, row.findings, row.accepted, accepted_share(row), row.tries,
                    fmt::format("{:.4f}", in_dollars(row.nano_dollars)), failed_words(row)));
  };
  add(sum_of_tallies(rows));
  for (const auto& row : rows) add(row);
  context.out << coloured("What became of changes of torch", Colour::bold, context.screen.colour) << "\n"
              << table.text(context.screen)
              << "A finding counts once, by its last try. The area is the first stage that shows it.\n"
                 "The share is of those whose place is in torch's Python.\n";
}

nlohmann::json fix_tally_json(const store::Store& store) {
  return {{"fixes", json_array(store.fixes.tally(), fix_row_json)}};
}

}  // namespace parityd::agent
