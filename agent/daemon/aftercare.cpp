#include "agent/daemon/aftercare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "oracle/finding/tool_reports.h"

namespace parityd::agent {

Aftercare::Aftercare(Workshop& shop, const NotifyParts& notify, Gathering::Looks looks)
    : shop_(shop),
      gathering_(shop.turn.store, shop.turn.pool, shop.examiner),
      notifier_(shop.turn.config.notify, notify, shop.turn.store, shop.turn.alarms) {
  gathering_.look_for(std::move(looks));
}

/// Some findings may have become ready: everything that works on ready findings looks again.
void Aftercare::look_again() {
  if (std::exchange(looked_at_, shop_.turn.findings_changes) != shop_.turn.findings_changes) {
    gathering_.look_again();
    notifier_.look_again();
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

void Aftercare::set_torches(std::vector<std::string> torches) {
  if (torches == gathering_.torches()) return;
  shop_.recorder.set_torches(torches, shop_.turn.wall);
  gathering_.set_torches(std::move(torches));
  shop_.turn.findings_changed();
}

}  // namespace parityd::agent
