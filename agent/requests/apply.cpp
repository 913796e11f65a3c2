#include "agent/requests/apply.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "agent/daemon/findings/known.h"
#include "executor/tools.h"
#include "store/base/text.h"

namespace parityd::agent::requests {
namespace {

Applied refusal(std::string why) { return {.result = std::move(why), .refused = true}; }

Applied regrouped(const tl::expected<std::string, std::string>& done) {
  return {.result = done ? *done : std::string(kRefused) + done.error(), .refused = !done, .changed = true};
}

Applied applied(const Stop& /*request*/, const Applying& /*to*/) {
  return refusal("only a running daemon can be stopped");
}
Applied applied(const Import& /*request*/, const Applying& /*to*/) { return refusal("only a daemon runs programs"); }

Applied applied(const TakeKnown& request, const Applying& to) {
  to.store.known.put(request.issues, request.source, request.as_of);
  const int released = to.recorder.release_stale(to.now);
  const std::string sentence = known_sentence(to.store, to.now, to.known_max_age);
  return {.result = "taken",
          .changed = true,
          .released = released,
          .line = sentence,
          .note = fmt::format("{} from {}; {} findings released", sentence, to.who, released)};
}

Applied applied(const Triage& request, const Applying& to) {
  store::TriageRow row = request.row;
  row.who = to.who;
  row.at = to.now;
  const auto mistake = to.store.triage.decide(row);
  return {.result = mistake.value_or("taken"), .refused = mistake.has_value(), .changed = true};
}

Applied applied(const Merge& request, const Applying& to) {
  const auto done = to.store.groups.merge(
      {.at = to.now, .who = to.who, .note = request.note, .finding = request.finding, .other = request.into});
  return regrouped(done.map([&](store::Id change) {
    return fmt::format("finding {} is merged into finding {} (change {})", request.finding, request.into, change);
  }));
}

Applied applied(const Split& request, const Applying& to) {
  if (auto why = to.store.groups.cannot_split(request.finding, request.programs)) {
    return regrouped(tl::unexpected(std::move(*why)));
  }
  const store::Id other = to.recorder.add_split_finding(*to.store.findings.find(request.finding),
                                                        *to.store.programs.find(request.programs.front()), to.now);
  const auto done = to.store.groups.split(
      {.at = to.now, .who = to.who, .note = request.note, .finding = request.finding, .other = other},
      request.programs);
  return regrouped(done.map([&](store::Id change) {
    return fmt::format("programs {} of finding {} are now finding {} (change {})", fmt::join(request.programs, ", "),
                       request.finding, other, change);
  }));
}

Applied applied(const Undo& request, const Applying& to) {
  const auto done = to.store.groups.undo(request.change, to.who, to.now);
  return regrouped(done.map([](store::Id change) { return fmt::format("change {} is undone", change); }));
}

Applied applied(const KeepInspection& request, const Applying& to) {
  store::InspectionRow row = request.row;
  if (!executor::is_tool(row.tool) || !to.store.findings.find(row.finding)) return refusal("no such tool or finding");
  row.at = to.now;
  to.store.inspections.add(row);
  return {.result = "stored"};
}

Applied applied(const KeepRecheck& request, const Applying& to) {
  store::RecheckRow row = request.row;
  if (!to.store.findings.find(row.finding)) return refusal("no recheck of a finding in it");
  row.who = to.who;
  to.recorder.add_recheck(row, to.now);
  const auto finding = to.store.findings.find(row.finding).value();
  const std::string said = fmt::format("finding {} on torch {}: {} ({}); {}, {}", row.finding, row.torch,
                                       name(row.result), row.reason, name(finding.status), finding.disposition.text());
  Applied done{.result = "stored", .changed = true};
  if (row.result == store::RecheckResult::cannot) {
    done.alarm.emplace(store::EventKind::recheck_failed, said);
  } else {
    done.line = done.note = said;
  }
  return done;
}

/// Of a try that has a result, and of one that begins; empty for what lies between.
std::string sentence_of(const store::FixTry& row) {
  constexpr std::size_t kLongestReason = 300;
  const auto line = [](const std::string& text) { return store::shortened(store::clean_line(text), kLongestReason); };
  const auto about = [&](const std::string& what) {
    return fmt::format("finding {} on torch {}, try {}: {}", row.finding, row.torch, row.number, what);
  };
  if (row.result == store::FixResult::asked) return row.reply.empty() ? about(line(row.model) + " is asked") : "";
  if (row.result != store::FixResult::accepted) return about(fmt::format("{}: {}", name(row.result), line(row.why)));
  return about(fmt::format("accepted: {} lines in {}", row.changed_lines,
                           line(fmt::format("{}", fmt::join(row.functions, ", ")))));
}

Applied applied(const KeepFix& request, const Applying& to) {
  if (!to.store.findings.find(request.row.finding)) return refusal("no change for a finding in it");
  to.store.fixes.keep(request.row);
  const std::string said = sentence_of(request.row);
  return {.result = "stored", .changed = request.row.result != store::FixResult::asked, .line = said, .note = said};
}

Applied applied(const NoteBackup& request, const Applying& to) {
  if (request.done.empty() && request.failed.empty()) return refusal("no backup in it");
  Applied done{.result = "noted", .note = request.done};
  if (!request.failed.empty()) done.alarm.emplace(store::EventKind::backup_failed, request.failed);
  if (!request.done.empty()) to.store.values.set(kLastBackup, request.done);
  return done;
}

}  // namespace

Applied apply(const Request& request, const Applying& to) {
  return std::visit([&](const auto& each) { return applied(each, to); }, request);
}

}  // namespace parityd::agent::requests
