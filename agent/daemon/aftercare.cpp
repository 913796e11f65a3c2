#include "agent/daemon/aftercare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "oracle/finding/tool_reports.h"

namespace parityd::agent {

Aftercare::Aftercare(Workshop& shop, const NotifyParts& notify, const FixCommand& fix, Gathering::Looks looks)
    : shop_(shop),
      gathering_(shop.turn.store, shop.turn.pool, shop.examiner),
      notifier_(shop.turn.config.notify, notify, shop.turn.store, shop.turn.alarms),
      fixer_(shop.turn.config, fix, shop.turn.store, shop.turn.alarms) {
  gathering_.look_for(std::move(looks));
}

/// Some findings may have become ready: everything that works on ready findings looks again.
void Aftercare::look_again() {
  if (std::exchange(looked_at_, shop_.turn.findings_changes) != shop_.turn.findings_changes) {
    gathering_.look_again();
    notifier_.look_again();
    fixer_.look_again();
  }
}

/// The result of compute-sanitizer influences the finding's disposition.
void Aftercare::keep_sanitized(store::Id finding) {
  Turn& turn = shop_.turn;
  const auto words = shop_.recorder.sanitized(finding, turn.wall);
  turn.findings_changed();
  if (!words.empty()) {
    turn.progress.line(fmt::format("finding {}: {}", finding, words.front()));
    turn.note("sanitizer", fmt::format("finding {}: {}", finding, fmt::join(words, "; ")));
  }
}

/// A script's result on a torch decides whether its finding is ready.
void Aftercare::keep_script(store::Id finding) {
  Turn& turn = shop_.turn;
  shop_.recorder.script_ran(finding, turn.wall);
  turn.findings_changed();
  const auto runs = turn.store.scripts.runs(finding);
  const std::string words = runs.empty() ? "its script has changed meanwhile" : oracle::in_words(runs.front().report);
  turn.say("script", fmt::format("finding {}: {}: {}", finding,
                                 turn.store.findings.find(finding).value().disposition.text(), words));
}

void Aftercare::collect_results() {
  for (const auto& [what, failure] : gathering_.store_results(shop_.turn.wall)) {
    if (!failure.empty()) {
      shop_.turn.alarms.raise(store::EventKind::inspection_failed,
                              fmt::format("{} of {}: {}", what.tool, what.file_name, failure));
    } else if (what.tool == oracle::kScriptTool) {
      keep_script(what.finding);
    } else if (std::ranges::find(oracle::kSanitizerTools, what.tool) != oracle::kSanitizerTools.end()) {
      keep_sanitized(what.finding);
    }
  }
}

void Aftercare::begin(bool confirming) {
  look_again();
  for (auto& inspection : {gathering_.next_script(), gathering_.next(confirming, shop_.turn.now)}) {
    if (inspection) {
      shop_.turn.send([&shop = shop_, what = *inspection] { shop.examiner.inspect(what, shop.turn.now); });
    }
  }
}

void Aftercare::notify() {
  Turn& turn = shop_.turn;
  look_again();
  if (const auto told = notifier_.advance(turn.now, turn.wall, !turn.stopping, turn.outbox)) {
    turn.note("notified", *told);
  }
}

void Aftercare::fix(bool may_ask) {
  Turn& turn = shop_.turn;
  if (turn.stopping) fixer_.stop();
  look_again();
  std::vector<FixPlace> places;
  const auto& torches = gathering_.torches();
  for (executor::GroupIndex group = 0; group < turn.tested && group < torches.size(); ++group) {
    FixPlace place{.torch = torches[group], .device = turn.device_of(group)};
    if (!place.torch.empty() && std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
  }
  fixer_.advance(turn.now, turn.wall, may_ask && !turn.stopping, places, turn.outbox);
}

void Aftercare::append_interests(std::vector<executor::Interest>& interests) const {
  notifier_.append_interests(interests);
  fixer_.append_interests(interests);
}

std::optional<executor::TimePoint> Aftercare::next_deadline() const {
  const auto notice = notifier_.next_deadline(), fix = fixer_.next_deadline();
  return notice && fix ? std::min(notice, fix) : notice ? notice : fix;
}

void Aftercare::set_torches(std::vector<std::string> torches) {
  if (torches == gathering_.torches()) return;
  shop_.recorder.set_torches(torches, shop_.turn.wall);
  gathering_.set_torches(std::move(torches));
  shop_.turn.findings_changed();
}

}  // namespace parityd::agent
