// Staffing of a group: counts its workers, starts missing ones and retires surplus ones.

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "executor/pool/group.h"
#include "executor/process/open_files.h"

namespace parityd::executor {
namespace {

using State = WorkerProcess::State;

/// The three pipes of a new process have six ends until it runs; a few files are left over for the store and for
/// sockets.
constexpr std::uint64_t kFilesToStart = 2 * kFilesOfProcess + 4;
/// Standard descriptors, lock, log, database, the descriptors that the loop, the group and libcurl wait with, the
/// syntax process: not all are open at the start.
constexpr std::uint64_t kFilesOfOthers = 17;
constexpr std::chrono::seconds kLookAgain{1};
/// Torch 2.11 on an H200: 1.2 to 1.7 GiB per worker while it runs programs, including its context.
constexpr std::int64_t kDeviceMemoryOfWorker = std::int64_t{7} << 28;
/// Limit until a worker has reported the device's free memory: during their start workers take half a GiB each.
constexpr int kStartsUntold = 8;

constexpr std::chrono::seconds kLull{2};   // between two programs a worker idles only for an instant
constexpr std::chrono::seconds kKept{60};  // a start costs seconds of processor time

}  // namespace

int Group::count(Role role, State state) const {
  return static_cast<int>(std::ranges::count_if(
      workers_, [&](const auto& worker) { return worker->role() == role && worker->state() == state; }));
}

int Group::ready(Role role) const { return count(role, State::idle) + count(role, State::busy); }

/// Another pool may make or remove the cache, so it is checked as long as it is missing.
void Group::look_for_cache(TimePoint now) {
  const bool was_missing = cache_missing_;
  cache_missing_ = !cache_.whole();
  builds_cache_ =
      cache_missing_ && (cache_.building() || (gate_.open(now) && now >= starts_again_ && cache_.may_build(now)));
  if (cache_missing_ && !was_missing) {
    notices_.push_back({.what = PoolNotice::What::cache_lost,
                        .group = config_.name,
                        .text = fmt::format("{}: {}", config_.name, config_.shared_cache.string())});
  }
}

int Group::wanted(Role role) const {
  switch (role) {
    case Role::cache_builder:
      return builds_cache_ ? 1 : 0;
    case Role::warm:
      if (cache_missing_) return 0;
      return config_.warm_workers + (all_at_work() ? config_.spares : 0);
    case Role::fork_parent:
      if (cache_missing_ || !fresh_wanted_) return 0;
      // More of them would take processors from the starting warm workers.
      return warm_start() ? std::min(1, parents_.wanted()) : parents_.wanted();
  }
  return 0;
}

bool Group::warm_start() const {
  return std::ranges::any_of(workers_,
                             [](const auto& worker) { return worker->role() == Role::warm && worker->starting(); });
}

/// A spare waits for them: its start would take processors from theirs.
bool Group::all_at_work() const {
  return ready(Role::warm) >= config_.warm_workers &&
         ready(Role::fork_parent) >= std::min(1, wanted(Role::fork_parent));
}

int Group::missing(Role role) const {
  int there = 0, worn = 0, starting = 0;
  for (const auto& worker : workers_) {
    // A cache builder counts until it is gone.
    const bool counts = worker->ready() || worker->starting() || role == Role::cache_builder;
    if (worker->role() == role && counts) {
      ++(worker->worn().empty() ? there : worn);
      starting += worker->starting() ? 1 : 0;
    }
  }
  const int lacking = wanted(role) - there;
  // A worn worker continues until its replacement is ready. One replacement at a time, because of the memory it takes.
  return worn == 0 ? lacking : std::max(lacking - worn, starting == 0 ? std::min(lacking, 1) : 0);
}

void Group::start_missing(TimePoint now) {
  if (now < starts_again_) return;
  std::optional<Lack> lack;
  for (const Role role : {Role::cache_builder, Role::warm, Role::fork_parent}) {
    for (int left = missing(role); left > 0 && pace_.open() && gate_.open(now); --left) {
      if (const auto lacking = lack_for(role)) {
        lack = lacking;
        break;
      }
      const auto begun = Clock::now();
      start(role, now);
      const auto ended = Clock::now();
      pace_.held_loop(ended - begun, ended);
    }
  }
  if (missing(Role::cache_builder) > 0) {
    cache_.release(std::nullopt);  // ours could not start: another pool may build
  }
  note(lack, now);
}

/// One worker too many harms everything: it takes files from the store and the API, or device memory from programs. One
/// worker of each role that runs programs may always start.
std::optional<Group::Lack> Group::lack_for(Role role) const {
  if (!may_open_files(role)) return Lack::files;
  const bool first = std::ranges::none_of(workers_, [&](const auto& worker) { return worker->role() == role; });
  return first || fits_on_device() ? std::nullopt : std::optional(Lack::device_memory);
}

/// Workers that are starting have not taken their memory yet.
bool Group::fits_on_device() const {
  const auto starting = std::ranges::count_if(workers_, [](const auto& worker) { return worker->starting(); });
  return !is_gpu(config_.device) ||
         (device_free_ ? *device_free_ >= (starting + 1) * kDeviceMemoryOfWorker : starting < kStartsUntold);
}

/// Fork parents, which confirm, come before a second warm worker, which only screens.
bool Group::may_open_files(Role role) const {
  const bool can_wait = role == Role::warm &&
                        std::ranges::any_of(workers_, [](const auto& worker) { return worker->role() == Role::warm; });
  const std::uint64_t wanted = kFilesToStart + (can_wait ? 2 * kFilesOfProcess : 0);
  const std::uint64_t ours = kFilesOfProcess * workers_.size();
  return open_files_left() >= wanted && open_files_limit() >= kFilesOfOthers + ours + wanted;
}

void Group::note(std::optional<Lack> lack, TimePoint now) {
  starts_again_ = lack ? now + kLookAgain : starts_again_;
  short_of_files_.reset();
  if (lack == Lack::files) {
    short_of_files_ = fmt::format(
        "{}: {} of {} workers run, because only {} files may be open; raise the limit with `ulimit -n` or LimitNOFILE=",
        config_.name, ready(Role::warm), config_.warm_workers, open_files_limit());
  }
  const bool full = lack == Lack::device_memory && device_free_;
  if (full && !device_full_) {
    notices_.push_back(
        {.what = PoolNotice::What::device_memory,
         .group = config_.name,
         .text = fmt::format("{}: {} of {} workers run: the device has {} MiB left, and another worker needs {}",
                             config_.name, ready(Role::warm), config_.warm_workers, *device_free_ >> 20,
                             kDeviceMemoryOfWorker >> 20)});
  }
  device_full_ = full;
}

void Group::start(Role role, TimePoint now) {
  const int number = next_number_++;
  gate_.started(now);
  try {
    workers_.push_back(std::make_unique<WorkerProcess>(
        WorkerProcess::Home{.config = config_, .limits = limits_, .known_forms = known_forms_, .seconds = seconds_},
        role, number, now));
    started_ += role == Role::cache_builder ? 0 : 1;
  } catch (const std::system_error& failure) {
    gate_.start_failed(failure.what(), now);
  }
}

/// Retires worn workers whose replacements are ready, and fork parents that were started while warm workers were idle.
void Group::retire_surplus(Role role, int kept, TimePoint now) {
  int surplus = ready(role) - kept;
  for (const auto& worker : workers_) {
    const std::string why = role == Role::warm ? worker->worn() : "nothing is waiting for it";
    // The others wait for their check: without it, everything they judged would have to be judged again.
    const bool can_go = worker->state() == State::idle && !worker->check_due();
    if (surplus > 0 && worker->role() == role && can_go && !why.empty()) {
      worker->retire(why, now);
      --surplus;
    }
  }
}

ForkParents::ForkParents(int configured, int warm_workers)
    : configured_(configured), most_lent_(std::max(0, warm_workers - configured)), wanted_(configured) {}

void ForkParents::observe(int idle_places, int jobs, TimePoint now) {
  if (idle_places == 0) {
    idle_since_.reset();
  } else if (!idle_since_) {
    idle_since_ = now;
  }
  lent_ = idle_since_ && now - *idle_since_ >= kLull ? std::min(idle_places, most_lent_) : 0;
  const int useful = std::clamp(jobs, configured_, allowed());
  if (useful >= wanted_ || now - needed_ >= kKept) {
    wanted_ = useful;
    needed_ = now;
  }
}

std::optional<TimePoint> ForkParents::next() const {
  if (idle_since_ && lent_ == 0 && most_lent_ > 0) return *idle_since_ + kLull;
  return wanted_ > configured_ ? std::optional(needed_ + kKept) : std::nullopt;
}

}  // namespace parityd::executor
