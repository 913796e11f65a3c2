#include "agent/daemon/loop/service.h"

#include <unistd.h>

namespace parityd::agent {
namespace {

using namespace std::chrono_literals;

constexpr auto kStatusEvery = 10s;
constexpr auto kExtendEvery = 1s;
constexpr auto kMoreTime = 15s;          // to end: above what Signals grants
constexpr auto kMoreTimeToStart = 5min;  // a migration copies the database first

}  // namespace

tl::expected<Reloaded, std::string> Service::reload() {
  notify_.reloading();
  auto reloaded = reload_();
  notify_.ready();
  return reloaded;
}

void Service::starting(const std::string& step) {
  notify_.status(step);
  notify_.extend(kMoreTimeToStart);
}

void Service::ready() { notify_.ready(); }

void Service::stopping() {
  notify_.stopping();
  notify_.status("stopping: programs in flight finish or are requeued");
}

void Service::turn_ended(executor::TimePoint now, bool stopping, const std::function<std::string()>& status) {
  ticked(Part::loop);
  notify_.ping_if_due(now);
  if (stopping && now >= next_extension_) {
    notify_.extend(kMoreTime);
    next_extension_ = now + kExtendEvery;
  } else if (!stopping && now >= next_status_) {
    notify_.status(status());
    next_status_ = now + kStatusEvery;
  }
  if (++turns_ == block_after_) {
    while (true) {
      pause();
    }
  }
}

}  // namespace parityd::agent
