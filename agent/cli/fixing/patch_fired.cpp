// The check of a patch that what the compiler did is still done.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "agent/cli/fixing/patch_checks.h"
#include "agent/cli/fixing/patch_programs.h"
#include "agent/daemon/findings/finding_operators.h"
#include "agent/fixing/likeness.h"

namespace parityd::agent {
namespace {

using store::FixCheck;
using store::FixResult;

/// Programs for which what fired is compared; each runs the tool `fired` twice.
constexpr std::size_t kMostAlike = 3, kMostRightVariants = 3;
constexpr int kMostCalling = 3;  // of one operator
constexpr std::size_t kMostLikely = 8;
constexpr int kMostCompared = 500;  // stored programs that the likest are chosen from

/// "aten.mean.dim" in "lowering:aten.mean.dim"; empty: the name has no operator.
std::string operator_in(const std::string& name) {
  const auto colon = name.find(':');
  return colon == std::string::npos || name.find('.', colon) == std::string::npos ? "" : name.substr(colon + 1);
}

}  // namespace

tl::expected<std::optional<PatchChecks::BothFired>, std::string> PatchChecks::fired_for(const PatchCase& program) {
  auto what = inspection_of(finding_, "fired");
  what.program = program.text;
  return sides_.inspect(what).map([](const BothTexts& texts) -> std::optional<BothFired> {
    const auto with = texts.with.and_then([](const auto& text) { return read_fired(text); });
    const auto without = texts.without.and_then([](const auto& text) { return read_fired(text); });
    if (!with || !without) return std::nullopt;
    return BothFired{.with = *with, .without = *without};
  });
}

tl::expected<std::optional<PatchChecks::BothFired>, std::string> PatchChecks::own_fired() {
  if (own_fired_) return own_fired_;
  auto fired = fired_for({.name = "the finding's program", .text = finding_.reduced});
  if (fired) own_fired_ = *fired;
  return fired;
}

tl::expected<bool, std::string> PatchChecks::may_share_cause(const PatchCase& program) {
  const auto runs_changed = [&](const std::optional<BothFired>& fired) {
    return fired && std::ranges::any_of(fired->without.functions, [&](const FiredFunction& function) {
             return std::ranges::find(functions_, function.place()) != functions_.end();
           });
  };
  const auto own = own_fired();
  const auto other = own ? fired_for(program) : own;
  if (!other) return tl::unexpected(other.error());
  return !*other || !runs_changed(*own) || runs_changed(*other);
}

tl::expected<std::optional<PatchChecks::BothFired>, std::string> PatchChecks::fired_if_right(const PatchCase& program) {
  const auto right = sides_.right_without(program);
  if (!right) return tl::unexpected(right.error());
  auto fired = *right ? fired_for(program) : std::nullopt;  // not: such as a variant that the patch mended
  if (fired) {
    sides_.tell(fmt::format("{}: {}", program.name,
                            !*right  ? "not right without the patch"
                            : *fired ? "compared"
                                     : "its compilation cannot be traced"));
  }
  return fired;
}

std::vector<PatchCase> PatchChecks::likely_right(const std::string& torch, const std::vector<SwitchedOff>& gone) {
  auto all = shipped_programs();
  const std::size_t shipped = all.size();
  const auto stored = store_.programs.consistent(torch, finding_.device, kMostCompared, 0);
  std::ranges::transform(stored, std::back_inserter(all), stored_program);
  std::vector<std::string> texts;
  std::ranges::transform(all, std::back_inserter(texts), &PatchCase::text);
  std::vector<PatchCase> chosen;
  for (const auto at : likest(finding_.reduced, texts, kMostAlike)) {
    auto program = at < shipped ? sides_.normalised(all[at].name, all[at].text) : all[at];
    if (program) chosen.push_back(std::move(*program));
  }
  const auto add_calling = [&](const std::vector<std::string>& operators) {
    for (const auto& row : store_.programs.consistent_calling(torch, finding_.device, operators, kMostCalling)) {
      const auto program = stored_program(row);
      const bool known = std::ranges::find(chosen, program.name, &PatchCase::name) != chosen.end();
      if (!known && chosen.size() < kMostLikely) chosen.push_back(program);
    }
  };
  for (const SwitchedOff& each : gone) {
    if (const auto name = operator_in(each.name); !name.empty()) add_calling({packet_of(name)});
  }
  add_calling(operators_);
  return chosen;
}

PatchChecks::Checked PatchChecks::fired(const std::string& torch) {
  FixCheck check{.name = "what fired", .ran = 1, .told = {}, .failing = {}, .program = {}};
  const auto failed = [&](FixResult result, std::string told) {
    check.result = result;
    check.failed = 1;
    check.told = std::move(told);
    return check;
  };
  const auto own = own_fired();
  if (!own) return tl::unexpected(own.error());
  if (!*own) return failed(FixResult::unknown, "the compilation of the finding's program could not be traced");
  auto off = switched_off((*own)->without, (*own)->with);
  check.told = "all that the compiler did for the program is still done";
  if (off.empty()) return check;
  std::string told;
  for (const SwitchedOff& each : off) told += (told.empty() ? "" : "; ") + each.told;
  const auto gone = off;
  /// What a right program lost of what is gone.
  const auto compare = [&](const PatchCase& program) -> tl::expected<std::vector<SwitchedOff>, std::string> {
    const auto both = fired_if_right(program);
    if (!both) return tl::unexpected(both.error());
    std::vector<SwitchedOff> lost;
    if (!*both) return lost;
    ++check.ran;
    std::erase_if(off, [&](const auto& each) { return still_fires(each, (*both)->without, (*both)->with); });
    lost = switched_off((*both)->without, (*both)->with);
    std::erase_if(
        lost, [&](const auto& each) { return std::ranges::find(gone, each.name, &SwitchedOff::name) == gone.end(); });
    return lost;
  };
  for (const PatchCase& program : likely_right(torch, gone)) {
    const auto lost = compare(program);
    if (!lost) return tl::unexpected(lost.error());
    if (lost->empty()) continue;
    check.failing.push_back(program.name);
    check.program = program.text;
    return failed(FixResult::switched_off, fmt::format("{}; so does {}, which was right", told, program.name));
  }
  // What must not happen for the finding's program need not happen for all that are like it.
  for (std::size_t at = 0; at < std::min(right_.size(), kMostRightVariants) && !off.empty(); ++at) {
    if (const auto lost = compare(right_[at]); !lost) return tl::unexpected(lost.error());
  }
  if (!off.empty()) {
    return failed(FixResult::switched_off,
                  fmt::format("{}; no right program is known for which {} is as before", told, off.front().name));
  }
  check.told = fmt::format("{}, for this program only", told);
  return check;
}

}  // namespace parityd::agent
