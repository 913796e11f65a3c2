#include "executor/pool/fork_parents.h"

#include <algorithm>

namespace parityd::executor {
namespace {

constexpr std::chrono::seconds kLull{2};   // between two programs a worker idles for an instant
constexpr std::chrono::seconds kKept{60};  // a start costs seconds of a processor

}  // namespace

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
  if (idle_since_ && lent_ == 0 && most_lent_ > 0) {
    return *idle_since_ + kLull;
  }
  return wanted_ > configured_ ? std::optional(needed_ + kKept) : std::nullopt;
}

}  // namespace parityd::executor
