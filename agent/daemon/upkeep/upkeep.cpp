#include "agent/daemon/upkeep/upkeep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <utility>

#include "store/upkeep/readers.h"

namespace parityd::agent {
namespace {

using namespace std::chrono_literals;
using executor::TimePoint;
using store::EventKind;

constexpr std::int64_t kLongestWal = 64 * kMebibyte;  // readers search the whole log
constexpr std::int64_t kWorthEmptying = kMebibyte;    // bytes of the write-ahead log worth emptying when idle
constexpr auto kWalEvery = 1s;
constexpr auto kReaderPatience = 60s;  // then the reader that blocks the log is named
constexpr auto kSizeEvery = 10s;
constexpr auto kForgetEvery = 5min;  // interval while nothing is due
constexpr auto kForgetStep = 250ms;  // interval while much is due: a step in each turn would dominate a busy loop
constexpr auto kCountEvery = 1h;
constexpr auto kEvidenceEvery = 10s;
constexpr int kProgramsAStep = 20;
constexpr int kBlobsAStep = 20;
constexpr int kFindingsAStep = 5;
constexpr store::Millis kWholeCheckEvery = 7 * store::kDay;
constexpr auto kWholeCheckAsked = 1min;
constexpr const char* kWholeCheckAt = "checked_whole_at";

std::int64_t bytes_of(const store::Store::Size& size) { return size.bytes + size.wal_bytes; }

}  // namespace

Upkeep::Upkeep(UpkeepParts parts)
    : parts_(std::move(parts)),
      disk_(parts_.store.file().parent_path(), parts_.config.disk_floor_mebibytes * kMebibyte, parts_.probe) {
  if (!parts_.readers) parts_.readers = store::who_has_open;
}

void Upkeep::begin_check() {
  if (!std::exchange(begun_, true) && parts_.store.unchecked()) {
    parts_.alarms.raise(EventKind::unclean_stop, "the database is being checked");
    check(store::CheckDepth::quick);
  }
}

void Upkeep::check(store::CheckDepth depth) {
  check_ = std::make_unique<store::BackgroundCheck>(parts_.store.file(), depth);
  if (!parts_.check_beside) check_->wait();
}

void Upkeep::maintain(TimePoint now, store::Millis wall, bool idle) {
  begin_check();
  if (disk_.look(now)) tell_disk();
  take_check(wall);
  begin_whole_check(now, wall);
  if (disk_.level() == Disk::Level::out) {
    return;  // do nothing that writes
  }
  empty_wal(now, idle);
  measure(now);
  forget(now, wall);
  check_evidence(now);
}

void Upkeep::tell_disk() {
  const bool bad = disk_.level() != Disk::Level::enough;
  const std::string problem = bad ? disk_.problem() : over_cap_text_;
  const EventKind now = bad && disk_.read_only() ? EventKind::disk_read_only : EventKind::disk_full;
  const EventKind other = now == EventKind::disk_full ? EventKind::disk_read_only : EventKind::disk_full;
  parts_.alarms.over(other);
  if (problem.empty()) {
    parts_.alarms.over(now);
  } else {
    parts_.alarms.raise(now, problem);
  }
}

/// Once a week also makes the whole check: indexes against their tables, which the quick check omits.
void Upkeep::begin_whole_check(TimePoint now, store::Millis wall) {
  if (check_ || now < next_whole_check_) return;
  next_whole_check_ = now + kWholeCheckAsked;
  const auto last = std::stoll(parts_.store.values.find(kWholeCheckAt).value_or("0"));
  if (last == 0) {
    parts_.store.values.set(kWholeCheckAt, std::to_string(wall));
  } else if (wall - last > kWholeCheckEvery && disk_.level() == Disk::Level::enough) {
    check(store::CheckDepth::whole);
  }
}

void Upkeep::take_check(store::Millis wall) {
  if (!check_ || !check_->ended()) return;
  const auto damage = check_->damage();
  const auto depth = check_->depth();
  check_.reset();
  if (damage && !damage->empty()) {
    parts_.alarms.raise(EventKind::database_damaged, *damage);
    throw store::StoreError(fmt::format("{}: is damaged: {}", parts_.store.file().string(), *damage),
                            store::StoreFault::damaged);
  }
  if (damage) parts_.store.note_checked();
  if (depth == store::CheckDepth::whole) parts_.store.values.set(kWholeCheckAt, std::to_string(wall));
}

/// SQLite checkpoints the log every thousand pages on its own; shrinking it is up to us.
void Upkeep::empty_wal(TimePoint now, bool idle) {
  if (now < next_wal_ || check_) {  // the check is a long reader, but ends on its own
    return;
  }
  next_wal_ = now + kWalEvery;
  const std::int64_t bytes = parts_.store.size().wal_bytes;
  if (bytes <= (idle ? kWorthEmptying : kLongestWal) || parts_.store.checkpoint()) {
    wal_stuck_since_ = {};
    parts_.alarms.over(EventKind::reader_holds_wal);
    return;
  }
  if (wal_stuck_since_ == TimePoint{}) {
    wal_stuck_since_ = now;
  }
  if (bytes > kLongestWal || now - wal_stuck_since_ >= kReaderPatience) {
    const auto readers = parts_.readers(parts_.store.file());
    parts_.alarms.raise(EventKind::reader_holds_wal,
                        fmt::format("{} of it; open in {}", in_bytes(bytes),
                                    readers.empty() ? "a process that parityd may not see"
                                                    : fmt::format("{}", fmt::join(readers, ", "))));
  }
}

void Upkeep::measure(TimePoint now) {
  if (parts_.config.disk_cap_mebibytes == 0 || now < next_size_) return;
  next_size_ = now + kSizeEvery;
  const std::int64_t cap = parts_.config.disk_cap_mebibytes * kMebibyte;
  const std::int64_t bytes = bytes_of(parts_.store.size());
  const bool over = bytes > (over_cap_ ? cap - cap / 8 : cap);
  if (over && !over_cap_) {
    next_forget_ = {};
    nothing_left_ = false;
  }
  if (over != over_cap_) {
    over_cap_ = over;
    over_cap_text_ = !over ? ""
                           : fmt::format("{}: {}, above [store] disk_cap ({}); old measurements are deleted first",
                                         parts_.store.file().string(), in_bytes(bytes), in_bytes(cap));
    tell_disk();
  }
}

void Upkeep::forget(TimePoint now, store::Millis wall) {
  if (now >= next_blobs_) {
    next_blobs_ = parts_.store.retention.collect_blobs(wall, kBlobsAStep) > 0 ? now + kWalEvery : now + kCountEvery;
  }
  if (now < next_forget_) return;
  if (now >= next_count_) {
    next_count_ = now + kCountEvery;
    keep_from_ = parts_.store.retention.newest_consistent_but(parts_.config.retention_max_programs);
  }
  const bool all = over_cap_ && !nothing_left_;
  const store::Id before = all ? std::numeric_limits<store::Id>::max() : keep_from_;
  const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(parts_.config.retention_max_age).count();
  const bool nothing = parts_.store.retention.forget_consistent(before, wall - age, kProgramsAStep) == 0;
  next_forget_ = now + (nothing ? kForgetEvery : kForgetStep);
  nothing_left_ = nothing ? all : nothing_left_;
}

void Upkeep::check_evidence(TimePoint now) {
  if (now < next_evidence_) return;
  next_evidence_ = now + kEvidenceEvery;
  store::Id last = 0;
  for (const store::Id finding : parts_.store.findings.flag_tampered(evidence_checked_, kFindingsAStep, last)) {
    parts_.alarms.raise(
        EventKind::evidence_damaged,
        fmt::format("finding {}: {}", finding, fmt::join(parts_.store.findings.tampered(finding), ", ")));
  }
  evidence_checked_ = last;  // 0: start again from the first
}

}  // namespace parityd::agent
