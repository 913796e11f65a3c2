#include "agent/daemon/loop/alarms.h"

#include <fmt/format.h>

#include <algorithm>

namespace parityd::agent {
namespace {

using namespace std::chrono_literals;

constexpr executor::Clock::duration kShortestQuiet = 1min;
constexpr executor::Clock::duration kLongestQuiet = 1h;

/// Always logged: somebody waits for the answer, or it occurs only once at each end of a state.
constexpr bool is_always_told(store::EventKind kind) {
  using enum store::EventKind;
  return kind == config_refused || kind == backup_failed || kind == log_lines_dropped;
}

}  // namespace

void Alarms::set_time(executor::TimePoint now, store::Millis wall) {
  now_ = now;
  wall_ = wall;
  tell_what_still_holds();
}

/// Whether to log it again. Each time the silence afterwards doubles, until there was a calm period.
bool Alarms::is_due(Told& told) {
  if (now_ < told.quiet_until) return false;
  const bool calm = told.untold == 0 && now_ >= told.quiet_until + told.quiet;
  told.quiet = calm ? kShortestQuiet : std::clamp(2 * told.quiet, kShortestQuiet, kLongestQuiet);
  told.quiet_until = now_ + told.quiet;
  return true;
}

void Alarms::tell(store::Severity severity, store::EventKind kind, const std::string& text) {
  log_(severity, description(kind).name, text);
}

void Alarms::raise(store::EventKind kind, const std::string& detail, const std::string& subject) {
  const auto& known = description(kind);
  Told& told = told_[{kind, subject}];
  told.holds = known.lasts;
  std::string text = store::event_text(kind, detail);
  Row row{.alarm = {.kind = kind, .subject = subject, .times = 1, .first_at = wall_, .last_at = wall_, .text = text},
          .severity = known.severity,
          .told = is_always_told(kind) || is_due(told)};
  if (row.told) {
    if (told.untold > 0) text += fmt::format(" ({} more since the last report)", told.untold);
    told.untold = 0;
    told.announced = known.lasts;
    row.alarm.text = text;
    tell(known.severity, kind, text);
  } else {
    ++told.untold;
    told.text = text;
  }
  const auto last = std::find_if(unwritten_.rbegin(), unwritten_.rend(), [&](const Row& earlier) {
    return earlier.alarm.kind == kind && earlier.alarm.subject == subject;
  });
  if (!row.told && last != unwritten_.rend() && !last->alarm.over_at) {
    last->alarm.times += 1;  // a disk that stays full must not fill the memory with rows
    last->alarm.last_at = wall_;
  } else {
    unwritten_.push_back(std::move(row));
  }
}

/// Logs conditions that returned while silenced: "it is over" must not be the last message about them.
void Alarms::tell_what_still_holds() {
  for (auto& [key, told] : told_) {
    if (!told.holds || told.announced || !is_due(told)) continue;
    const auto severity = description(key.first).severity;
    told.untold = 0;
    told.announced = true;
    unwritten_.push_back(
        {.alarm = {.kind = key.first, .subject = key.second, .first_at = wall_, .last_at = wall_, .text = told.text},
         .severity = severity,
         .told = true});
    tell(severity, key.first, told.text);
  }
}

void Alarms::over(store::EventKind kind, const std::string& subject) {
  const auto found = told_.find({kind, subject});
  if (found == told_.end() || !found->second.holds) return;
  Told& told = found->second;
  told.holds = false;
  Row row{.alarm = {.kind = kind, .subject = subject, .first_at = wall_, .last_at = wall_, .over_at = wall_},
          .told = std::exchange(told.announced, false)};
  if (row.told) {
    row.alarm.text = subject.empty() ? "it is over" : "it is over: " + subject;
    tell(row.severity, kind, row.alarm.text);
  }
  unwritten_.push_back(std::move(row));
}

bool Alarms::holds(store::EventKind kind, const std::string& subject) const {
  const auto found = told_.find({kind, subject});
  return found != told_.end() && found->second.holds;
}

bool Alarms::stop_asking() const {
  return std::ranges::any_of(
      told_, [](const auto& entry) { return entry.second.holds && store::stops_asking(entry.first.first); });
}

void Alarms::write() {
  for (Row row : unwritten_) {
    if (row.told) {
      store_.events.add(std::string(name(row.severity)), std::string(description(row.alarm.kind).name), row.alarm.text,
                        row.alarm.last_at);
    }
    if (row.alarm.over_at) {
      row.alarm.text.clear();  // the text of the fault is kept
    }
    store_.alarms.count(row.alarm);
  }
}

}  // namespace parityd::agent
