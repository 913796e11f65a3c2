#include "agent/cli/fixing/patch_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>
#include <set>

#include "agent/cli/fixing/patch_programs.h"
#include "agent/daemon/findings/finding_operators.h"

namespace parityd::agent {
namespace {

using store::FixCheck;
using store::FixResult;
using store::RecheckResult;

constexpr std::size_t kMostOfCorpus = 24;
constexpr std::size_t kMostOthers = 8;
constexpr std::size_t kMostFailing = 20;  // of what failed

FixResult meaning_of(const BothJudged& judged) {
  if (judged.vanishes()) return FixResult::accepted;
  const bool shown = judged.shows_without() && judged.with.result != RecheckResult::cannot;
  return shown ? FixResult::stays : FixResult::unknown;
}

std::string sentence_of(const BothJudged& judged) {
  const auto& with = judged.with;
  const auto& without = judged.without;
  if (with.result == RecheckResult::cannot || without.result == RecheckResult::cannot) {
    return fmt::format("it cannot be told whether the finding vanishes: {}",
                       with.result == RecheckResult::cannot ? with.reason : without.reason);
  }
  if (!judged.shows_without()) {
    return "the finding does not show here without the patch either: " + without.reason;
  }
  if (judged.faultless) return fmt::format("the finding vanishes: {}", with.reason);
  return fmt::format("the finding {}: {}", with.result == RecheckResult::still ? "still shows" : "only changes",
                     with.reason);
}

/// "passes" or "fails: exit status 1, AssertionError", the first line of the tool's text; or why it could not be run.
std::string first_line(const tl::expected<std::string, std::string>& text) {
  return text ? text->substr(0, text->find('\n')) : text.error();
}

}  // namespace

PatchChecks::PatchChecks(PatchSides& sides, const store::Store& store, const store::FindingRow& finding,
                         std::vector<std::string> functions)
    : sides_(sides),
      store_(store),
      finding_(finding),
      functions_(std::move(functions)),
      operators_(operators_of(finding)),
      case_(recheck_case(store, finding, kWithPatch)) {}

PatchChecks::Checked PatchChecks::vanishes(int rounds) {
  return sides_.judge(case_, rounds).map([&](const BothJudged& judged) {
    judged_ = judged;
    const auto result = meaning_of(judged);
    return FixCheck{.name = "vanishes",
                    .result = result,
                    .ran = judged.with.rounds,
                    .failed = result == FixResult::accepted ? 0 : std::max(judged.with.hits, 1),
                    .told = sentence_of(judged),
                    .failing = {},
                    .program = result == FixResult::stays ? finding_.reduced : ""};
  });
}

PatchChecks::Checked PatchChecks::occurrences() {
  FixCheck check{.name = "occurrences", .told = {}, .failing = {}, .program = {}};
  std::int64_t others = 0;  // of another cause
  for (const auto& row : store_.groups.occurrences_of(finding_.id)) {
    if (row.program.id == finding_.program || check.ran == store::kMostProgramsOfOneCause) continue;
    const PatchCase program = stored_program(row.program);
    const auto judged = sides_.judge(
        {.subject = {.text = program.text, .options_json = program.options_json}, .known = case_.known}, 1);
    if (!judged) return tl::unexpected(judged.error());
    if (!judged->shows_without()) continue;  // it is flaky, or was about more than this
    const bool still = judged->with.result == RecheckResult::still;
    const auto same_cause = still ? may_share_cause(program) : true;
    if (!same_cause) return tl::unexpected(same_cause.error());
    if (!*same_cause) {
      ++others;
      continue;
    }
    ++check.ran;
    if (!still) continue;
    ++check.failed;
    check.failing.push_back(program.name);
    if (check.program.empty()) check.program = program.text;
  }
  check.result = check.failed == 0 ? FixResult::accepted : FixResult::incomplete;
  check.told = fmt::format("{} of {} other programs that showed it still show it", check.failed, check.ran);
  if (others > 0) check.told += fmt::format("; {} more show something else: they do not run the changed code", others);
  return check;
}

PatchChecks::Checked PatchChecks::regression_test(const std::string& script) {
  const auto texts = sides_.inspect({.finding = finding_.id,
                                     .file_name = fmt::format("test_finding_{}.py", finding_.id),
                                     .program = script,
                                     .tool = "regression",
                                     .place = {}});
  if (!texts) return tl::unexpected(texts.error());
  const std::string with = first_line(texts->with), without = first_line(texts->without);
  const bool proves = with == "passes" && without.starts_with("fails");
  return FixCheck{.name = "regression test",
                  .result = proves ? FixResult::accepted : FixResult::proves_nothing,
                  .ran = 1,
                  .failed = proves ? 0 : 1,
                  .told = fmt::format("without the patch it {}; with it, it {}", without, with),
                  .failing = {},
                  .program = proves ? "" : script};
}

PatchChecks::Checked PatchChecks::stay_right(const std::string& name, std::vector<PatchCase> programs) {
  auto tried = sides_.run(std::move(programs));
  if (!tried) return tl::unexpected(tried.error());
  FixCheck check{.name = name, .told = {}, .failing = {}, .program = {}};
  std::string first;
  for (const TriedCase& each : *tried) {
    check.ran += each.consistent() || each.broken() ? 1 : 0;
    if (!each.broken()) continue;
    if (check.failed++ == 0) {
      first = fmt::format("; {}: {}", each.program.name, each.with->verdict.explanation);
      check.program = each.program.text;
    }
    if (check.failing.size() < kMostFailing) check.failing.push_back(each.program.name);
  }
  check.result = check.failed == 0 ? FixResult::accepted : FixResult::breaks;
  check.told = fmt::format("{} of {} that were consistent differ now{}", check.failed, check.ran, first);
  return check;
}

PatchChecks::Checked PatchChecks::programs(const std::string& torch, int most, std::uint64_t seed) {
  std::vector<PatchCase> chosen;
  std::set<store::Id> known;
  const auto add = [&](const std::vector<store::ProgramRow>& rows) {
    for (const auto& row : rows) {
      if (chosen.size() == static_cast<std::size_t>(most)) return;
      if (!known.insert(row.id).second) continue;
      chosen.push_back(stored_program(row));
    }
  };
  add(store_.programs.consistent_calling(torch, finding_.device, operators_, most));
  add(store_.programs.consistent_calling(torch, finding_.device, reached(), most));
  const auto related = static_cast<std::int64_t>(chosen.size());
  add(store_.programs.consistent(torch, finding_.device, most, seed));
  return stay_right("programs", std::move(chosen)).map([&](FixCheck check) {
    check.told += fmt::format("; {} call {}{}", related, fmt::join(operators_, ", "),
                              reached().empty() ? "" : " or another operator that reaches the change");
    if (check.result == FixResult::accepted && std::min(related, check.ran) < kFewestRelated) {
      check.result = FixResult::too_few;
      check.told += fmt::format(", {} are needed", kFewestRelated);
    }
    return check;
  });
}

PatchChecks::Checked PatchChecks::corpus(std::uint64_t seed) {
  auto drawn = shipped_programs();
  std::mt19937_64 dice(seed);
  std::ranges::shuffle(drawn, dice);
  drawn.resize(std::min(drawn.size(), kMostOfCorpus));
  std::vector<PatchCase> programs;
  for (const auto& each : drawn) {
    if (auto program = sides_.normalised(each.name, each.text)) programs.push_back(std::move(*program));
  }
  return stay_right("corpus", std::move(programs));
}

tl::expected<std::vector<store::Id>, std::string> PatchChecks::also_gone() {
  std::vector<store::FindingRow> others =
      store_.findings.list({.stage = std::string(name(finding_.stage)), .device = finding_.device, .limit = 0});
  std::erase_if(others, [&](const auto& other) {
    const auto called = operators_of(other);
    const bool alike = std::ranges::find_first_of(called, operators_) != called.end();
    return other.id == finding_.id || other.torch != finding_.torch || !alike;
  });
  others.resize(std::min(others.size(), kMostOthers));
  std::vector<store::Id> gone;
  for (const auto& other : others) {
    const auto vanishes = sides_.vanishes(recheck_case(store_, other, kWithPatch), 1);
    if (!vanishes) return tl::unexpected(vanishes.error());
    if (*vanishes) gone.push_back(other.id);
  }
  return gone;
}

}  // namespace parityd::agent
