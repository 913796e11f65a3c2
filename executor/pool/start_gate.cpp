#include "executor/pool/start_gate.h"

#include <algorithm>
#include <utility>

namespace parityd::executor {
namespace {

constexpr auto kTryAgain = std::chrono::minutes(1);
constexpr auto kFirstDelay = std::chrono::milliseconds(100);
constexpr int kMostDoublings = 9;  // about as long as kTryAgain
constexpr int kBroken = 2;

}  // namespace

void StartGate::start_failed(std::string why, TimePoint now) {
  why_ = std::move(why);
  if (++failures_ >= kBroken) next_ = std::max(next_, now + kTryAgain);
}

void StartGate::died_idle(TimePoint now) {
  next_ = std::max(next_, now + kFirstDelay * (1 << std::min(idle_deaths_, kMostDoublings)));
  ++idle_deaths_;
}

void StartGate::primed() {
  if (failures_ >= kBroken) next_ = {};
  failures_ = 0;
  parked_ = false;
}

void StartGate::park(std::string why, TimePoint now) {
  why_ = std::move(why);
  parked_ = true;
  failures_ = std::max(failures_, kBroken);
  next_ = std::max(next_, now + kTryAgain);
}

void StartGate::started(TimePoint now) {
  if (failures_ >= kBroken) next_ = now + kTryAgain;
}

std::optional<std::string> StartGate::broken() const {
  return failures_ >= kBroken ? std::optional(why_) : std::nullopt;
}

}  // namespace parityd::executor
