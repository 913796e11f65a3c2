#include "agent/cli/fixing/patch_sides.h"

#include <fmt/format.h>

#include <cstdlib>
#include <iterator>

namespace parityd::agent {
namespace {

using executor::Clock;
using oracle::VerdictKind;

/// Both sides run at once, and a round's folder is named after the subject's program.
Subject on_side(Subject subject, executor::GroupIndex group) {
  subject.group = group;
  subject.program = group == kWithPatch ? subject.program : -subject.program;
  subject.eager_group = kWithoutPatch;  // a patch cannot mend by changing eager
  return subject;
}

Subject subject_of(store::Id number, const PatchCase& program, executor::GroupIndex group) {
  return on_side({.program = number, .text = program.text, .options_json = program.options_json}, group);
}

bool is_consistent(const std::optional<oracle::Shown>& shown) {
  return shown && shown->verdict.verdict == VerdictKind::consistent;
}

}  // namespace

bool TriedCase::broken() const { return with && !is_consistent(with) && is_consistent(without); }

PatchSides::PatchSides(Engine& engine, const Config& config, std::function<void(const std::string&)> progress)
    : engine_(engine), session_(engine, config.seed, config.excuses_off), progress_(std::move(progress)) {}

tl::expected<BothJudged, std::string> PatchSides::judge(const RecheckCase& found, int rounds) {
  return judge_on({kWithoutPatch, kWithPatch}, found, rounds);
}

tl::expected<bool, std::string> PatchSides::vanishes(const RecheckCase& found, int rounds) {
  const auto with = judge_on({kWithPatch}, found, rounds);
  if (!with) return tl::unexpected(with.error());
  if (!with->faultless) return false;  // most often: then one side was enough
  return judge_on({kWithoutPatch}, found, rounds).map(&BothJudged::shows_without);
}

tl::expected<BothJudged, std::string> PatchSides::judge_on(std::vector<executor::GroupIndex> sides,
                                                           const RecheckCase& found, int rounds) {
  const store::Id number = next_++;
  const auto next = [&]() -> std::optional<RecheckCase> {
    if (sides.empty()) return std::nullopt;
    RecheckCase side = found;
    side.subject.program = number;
    side.subject = on_side(std::move(side.subject), sides.back());
    sides.pop_back();
    return side;
  };
  BothJudged judged;
  const std::size_t at_once = sides.size();
  const auto ran = session_.recheck(next, rounds, at_once, [&](const Subject& subject, const Recheck& recheck) {
    (subject.group == kWithPatch ? judged.with : judged.without) = recheck.result();
    if (subject.group == kWithPatch) judged.faultless = recheck.faultless();
  });
  return ran.map([&] { return judged; });
}

tl::expected<std::vector<TriedCase>, std::string> PatchSides::run(std::vector<PatchCase> programs) {
  waiting_.assign(std::make_move_iterator(programs.begin()), std::make_move_iterator(programs.end()));
  done_.clear();
  begin_some();
  const auto ran = session_.run([this] { return running_.empty(); },
                                [this](const Examined& examined) {
                                  on_result(examined);
                                  begin_some();
                                });
  return ran.map([this] { return std::exchange(done_, {}); });
}

void PatchSides::begin_some() {
  const auto most = std::size_t{2} * static_cast<std::size_t>(engine_.pool->config(kWithPatch).warm_workers);
  while (running_.size() < most && !waiting_.empty()) {
    const store::Id number = next_++;
    session_.examiner().screen(subject_of(number, waiting_.front(), kWithPatch), {}, Clock::now());
    running_.emplace(number, TriedCase{.program = std::move(waiting_.front())});
    waiting_.pop_front();
  }
}

void PatchSides::on_result(const Examined& examined) {
  const auto found = running_.find(std::abs(examined.program));
  if (found == running_.end()) return;
  TriedCase& tried = found->second;
  if (!examined.harness_failure.empty()) {
    tried.harness_failure = examined.harness_failure;
    return finish(found);
  }
  if (examined.what == Examination::screen) {
    tried.screened = examined.verdict;
    if (examined.trusted && examined.verdict.verdict == VerdictKind::consistent) return finish(found);
    for (const auto group : {kWithPatch, kWithoutPatch}) {
      session_.examiner().confirm(subject_of(found->first, tried.program, group), Examination::recheck, 1,
                                  Clock::now());
    }
    return;
  }
  (examined.group == kWithPatch ? tried.with : tried.without) = {.verdict = examined.verdict,
                                                                 .evidence = examined.evidence};
  if (tried.with && tried.without) finish(found);
}

void PatchSides::finish(std::map<store::Id, TriedCase>::iterator found) {
  if (is_consistent(found->second.with)) found->second.with.reset();  // the warm worker was wrong
  done_.push_back(std::move(found->second));
  running_.erase(found);
  constexpr std::size_t kTellEvery = 10;
  if (done_.size() % kTellEvery == 0) {
    progress_(fmt::format("{} programs, {} to go", done_.size(), waiting_.size() + running_.size()));
  }
}

tl::expected<BothTexts, std::string> PatchSides::inspect(const Inspection& what) {
  std::vector<Inspection> sides(2, what);
  sides.front().group = kWithPatch;
  sides.back().group = kWithoutPatch;
  return session_.inspect_together(sides).map(
      [](auto texts) { return BothTexts{.with = std::move(texts.front()), .without = std::move(texts.back())}; });
}

tl::expected<std::string, std::string> PatchSides::inspect_without(Inspection what) {
  what.group = kWithoutPatch;
  return session_.inspect(std::move(what));
}

tl::expected<bool, std::string> PatchSides::right_without(const PatchCase& program,
                                                          const std::vector<oracle::Neutraliser>& neutralisers) {
  const store::Id number = next_++;
  session_.examiner().screen(subject_of(number, program, kWithoutPatch), {.neutralisers = neutralisers}, Clock::now());
  std::optional<bool> right;
  const auto ran = session_.run([&] { return right.has_value(); },
                                [&](const Examined& examined) {
                                  if (std::abs(examined.program) != number) return;
                                  right = examined.harness_failure.empty() && is_faultless(examined.verdict.verdict);
                                });
  return ran.map([&] { return *right; });
}

std::vector<PatchCase> PatchSides::sweep(const executor::SweepWishes& wishes) {
  std::vector<PatchCase> cases;
  engine_.syntax->sweep(wishes, [&](const auto& variants) {
    if (!variants) return;  // the program has a form that the sweep does not know
    for (const auto& variant : *variants) {
      cases.push_back({.name = fmt::format("{}: {}", variant.aspect, variant.value),
                       .text = variant.program.value_or(""),
                       .options_json = variant.options_text});
    }
  });
  engine_.syntax->wait();
  return cases;
}

std::optional<PatchCase> PatchSides::normalised(std::string name, const std::string& text) {
  std::optional<PatchCase> found;
  engine_.syntax->normalise(text, true, false, [&](const auto& normalised) {
    if (!normalised || !normalised->problem.empty()) return;
    found = {.name = std::move(name), .text = normalised->text, .options_json = normalised->options_text};
  });
  engine_.syntax->wait();
  return found;
}

}  // namespace parityd::agent
