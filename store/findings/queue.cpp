#include "store/findings/queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <utility>

namespace parityd::store {
namespace {

int lines_of(const std::string& program) {
  int lines = 0;
  std::istringstream stream(program);
  for (std::string line; std::getline(stream, line);) {
    lines += line.find_first_not_of(" \t\r") == std::string::npos ? 0 : 1;
  }
  return lines;
}

/// One ranking criterion of the queue: lower ranks first.
struct Criterion {
  long rank = 0;
  std::string words;
  bool usual = false;  // not worth a mention for a single finding
};
using Criteria = std::array<Criterion, 6>;

Criterion trigger_of(oracle::Trigger trigger) {
  if (trigger == oracle::Trigger::ordinary) return {0, "ordinary inputs"};
  if (trigger == oracle::Trigger::unknown) return {1, "trigger unknown"};
  if (trigger == oracle::Trigger::config) return {2, "its own settings only"};
  return {3, "unusual inputs only"};
}

/// A regression on a new torch can still be stopped, and its cause is narrowed down.
Criterion blame_of(const FindingRow& finding) {
  if (finding.consistent_on.empty()) return {.rank = 1, .words = "no torch known to be without it", .usual = true};
  return {.rank = 0, .words = fmt::format("consistent on torch {}", finding.consistent_on)};
}

std::string_view harm_of(const FindingRow& finding) {
  const int severity = finding.disposition.severity;
  if (severity == oracle::kMildest && oracle::calls_overloads(finding.reduced))
    return "only through torch.ops overloads";
  if (severity == oracle::kMildest && finding.trigger == oracle::Trigger::edge) return "only with unusual inputs";
  if (severity == oracle::kMildest - 1) return "other strides";
  // In the order of the enumeration.
  constexpr auto kHarms = std::to_array<std::string_view>(
      {"an error", "a lost check", "silently wrong values", "another dtype or shape, or aliasing",
       "silently wrong writes", "silently wrong gradients", "a crash", "a hang"});
  static_assert(kHarms.size() == names(oracle::Kind{}).size());
  return kHarms.at(static_cast<std::size_t>(finding.kind));
}

/// In order of priority.
Criteria criteria_of(const QueueEntry& entry) {
  const FindingRow& finding = entry.finding;
  const int rounds = std::max(finding.rounds, 1);
  return {
      Criterion{finding.disposition.severity, "severity " + severity_words(finding)},
      blame_of(finding),
      trigger_of(finding.trigger),
      Criterion{-1000L * finding.hits / rounds, fmt::format("{} of {} rounds", finding.hits, finding.rounds)},
      Criterion{entry.lines, fmt::format("{} lines", entry.lines)},
      Criterion{entry.known_matches, entry.known_matches == 0 ? std::string("no known match")
                                                              : fmt::format("{} known matches", entry.known_matches)}};
}

std::string joined(const Criteria& criteria) {
  std::string text;
  for (const Criterion& criterion : criteria) {
    if (!criterion.usual) text += (text.empty() ? "" : ", ") + criterion.words;
  }
  return text;
}

/// Why an entry is behind the previous one.
std::string why_behind(const QueueEntry& before, const QueueEntry& entry) {
  const Criteria first = criteria_of(before), second = criteria_of(entry);
  for (std::size_t index = 0; index < first.size(); ++index) {
    if (first[index].rank != second[index].rank) {
      return fmt::format("behind finding {}: {} after {}", before.finding.id, second[index].words, first[index].words);
    }
  }
  return fmt::format("behind finding {}: equal in everything, found later", before.finding.id);
}

bool goes_before(const QueueEntry& left, const QueueEntry& right) {
  const Criteria first = criteria_of(left), second = criteria_of(right);
  for (std::size_t index = 0; index < first.size(); ++index) {
    if (first[index].rank != second[index].rank) return first[index].rank < second[index].rank;
  }
  return left.finding.id < right.finding.id;
}

/// What a person does about a held finding, by reason; findings held for other reasons wait until the reason changes.
constexpr auto kHeldSteps = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"eager", "a bug in eager: file it with the general bug form"},
    {"stale", "update the known issues: `parityd known sync` or `parityd known import FILE`"},
    {"untried", "wait until the running daemon runs it on the newest torch, or run `parityd recheck`"},
    {"fixed", "none as long as the newest torch does not show it"},
    {"patched", "none: `parityd check --explain` lists what its program replaces in torch"},
    {"random", "check whether more than the order of random numbers differs: `parityd show`"},
    {"rounding", "make a double run possible: name fewer dtypes in the program"},
    {"private", "rewrite it with public operators and import that"},
    {"script", "wait until the running daemon runs its script; if that cannot tell, `parityd show` shows why"},
    {"tampered",
     "read its program, which may itself behave differently when compiled; `parityd show` has the output of its "
     "script"},
    {"different", "check what the newest torch shows: `parityd show`"},
});

/// Next steps for findings whose status was set by people or by a newer torch.
struct StatusStep {
  FindingStatus status;
  const char* step;
  const char* why;
};
constexpr auto kStatusSteps = std::to_array<StatusStep>({
    {FindingStatus::filed, "wait for the maintainers' answer", "its issue is filed"},
    {FindingStatus::known, "none: follow the known issue", "an issue about it existed before"},
    {FindingStatus::fixed, "none unless it comes back", "the newest torch no longer shows it"},
    {FindingStatus::regressed, "report it on its issue", "it was fixed and has come back"},
    {FindingStatus::wontfix, "none", "the maintainers do not want to change it"},
    {FindingStatus::false_positive, "none", "it is not a bug"},
});

std::string held_step(const oracle::Disposition& disposition) {
  if (disposition.umbrella_issue != 0)
    return fmt::format("a bug in eager: add it to issue {}", disposition.umbrella_issue);
  const auto* const row = std::ranges::find(kHeldSteps, disposition.reason, &decltype(kHeldSteps)::value_type::first);
  return row != kHeldSteps.end() ? std::string(row->second) : "none until the reason for holding it changes";
}

}  // namespace

std::string severity_words(const FindingRow& finding) {
  return fmt::format("{} ({})", finding.disposition.severity, harm_of(finding));
}

bool may_be_queued(const FindingRow& finding) {
  return finding.disposition.is_ready() && finding.status == FindingStatus::fresh && !finding.merged_into;
}

std::vector<QueueEntry> queue_of(std::vector<FindingRow> findings, const std::map<Id, int>& known_matches,
                                 const QueueLimits& limits) {
  std::vector<QueueEntry> queue;
  for (FindingRow& finding : findings) {
    if (!may_be_queued(finding)) continue;
    const auto matches = known_matches.find(finding.id);
    const int lines = lines_of(finding.reduced);
    queue.push_back({.finding = std::move(finding), .lines = lines});
    queue.back().known_matches = matches == known_matches.end() ? 0 : matches->second;
  }
  std::sort(queue.begin(), queue.end(), goes_before);
  const int offered = std::max(0, limits.drafts_per_day - limits.filed_today);
  for (std::size_t index = 0; index < queue.size(); ++index) {
    QueueEntry& entry = queue[index];
    entry.place = static_cast<int>(index) + 1;
    entry.today = entry.place <= offered;
    entry.standing = joined(criteria_of(entry));
    entry.why = index == 0 ? "nothing ranks before it" : why_behind(queue[index - 1], entry);
    entry.next_step = entry.today ? entry.finding.next_step
                                  : fmt::format("wait: {} drafts are offered per day, {} filed today",
                                                limits.drafts_per_day, limits.filed_today);
  }
  return queue;
}

std::string next_step_of(const oracle::Disposition& disposition) {
  switch (disposition.klass) {
    case oracle::Disposition::Class::ready:
      return "read the draft, check it yourself, and file it";
    case oracle::Disposition::Class::umbrella:
      return fmt::format("add it to issue {}", disposition.umbrella_issue);
    case oracle::Disposition::Class::known:
      return fmt::format("none: follow issue {}", disposition.umbrella_issue);
    case oracle::Disposition::Class::held:
      return held_step(disposition);
  }
  return {};
}

NextStep next_step(const FindingRow& finding) {
  if (finding.merged_into) {
    return {fmt::format("none: see finding {}", *finding.merged_into),
            fmt::format("merged into finding {} by hand", *finding.merged_into)};
  }
  const auto* const row = std::ranges::find(kStatusSteps, finding.status, &StatusStep::status);
  return row == kStatusSteps.end() ? NextStep{finding.next_step, finding.why} : NextStep{row->step, row->why};
}

}  // namespace parityd::store
