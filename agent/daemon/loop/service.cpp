#include "agent/daemon/loop/service.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include "store/base/text.h"

namespace parityd::agent {
namespace {

using namespace std::chrono_literals;

constexpr auto kStatusEvery = 10s;
constexpr auto kExtendEvery = 1s;
constexpr auto kMoreTime = 15s;          // to stop: more than Signals allows
constexpr auto kMoreTimeToStart = 5min;  // a migration copies the database first

std::string take_variable(const char* name) {
  const char* const value = std::getenv(name);
  std::string copy = value != nullptr ? value : "";
  unsetenv(name);
  return copy;
}

/// 0 if it is not a number.
std::int64_t number(const std::string& text) { return std::strtoll(text.c_str(), nullptr, 10); }

std::int64_t monotonic_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

}  // namespace

Supervisor take_supervisor() {
  Supervisor supervisor{.socket = take_variable("NOTIFY_SOCKET")};
  const std::string watched = take_variable("WATCHDOG_PID");
  const std::int64_t patience = number(take_variable("WATCHDOG_USEC"));
  if (patience > 0 && (watched.empty() || number(watched) == getpid())) {
    supervisor.watchdog = std::chrono::microseconds(patience);
  }
  return supervisor;
}

Service::Service(Supervisor supervisor) : supervisor_(std::move(supervisor)) {
  if (!supervisor_.socket.empty()) {  // opened now: later no descriptor may be free
    socket_ = executor::Descriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  }
}

void Service::tell(const std::string& text) const {
  sockaddr_un address{};
  const std::string& name = supervisor_.socket;
  if (!socket_.open() || name.size() >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.data(), name.size());
  if (name.front() == '@') {
    address.sun_path[0] = '\0';  // an abstract name, terminated by its length
  }
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  // A supervisor that does not listen is ignored.
  (void)!sendto(socket_.number(), text.data(), text.size(), MSG_NOSIGNAL, reinterpret_cast<sockaddr*>(&address),
                length);
}

void Service::tell_status(const std::string& text) const { tell("STATUS=" + store::clean_line(text)); }

void Service::ask_for(std::chrono::microseconds time) const {
  tell(fmt::format("EXTEND_TIMEOUT_USEC={}", time.count()));
}

void Service::ping_if_due(executor::TimePoint now) {
  const bool all = std::ranges::all_of(ticked_, [](bool ticked) { return ticked; });
  if (supervisor_.watchdog.count() == 0 || !all || now < next_ping_) return;
  tell("WATCHDOG=1");
  ticked_.fill(false);
  next_ping_ = now + supervisor_.watchdog / 3;
}

std::optional<executor::TimePoint> Service::next_deadline() const {
  return supervisor_.watchdog.count() == 0 ? std::nullopt : std::optional(next_ping_);
}

tl::expected<Reloaded, std::string> Service::reload() {
  tell(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", monotonic_microseconds()));
  auto reloaded = reload_();
  ready();
  return reloaded;
}

void Service::starting(const std::string& step) {
  tell_status(step);
  ask_for(kMoreTimeToStart);
}

void Service::ready() { tell("READY=1"); }

void Service::stopping() {
  tell("STOPPING=1");
  tell_status("stopping: running programs finish or are requeued");
}

void Service::turn_ended(executor::TimePoint now, bool stopping, const std::function<std::string()>& status) {
  ticked(Part::loop);
  ping_if_due(now);
  if (stopping && now >= next_extension_) {
    ask_for(kMoreTime);
    next_extension_ = now + kExtendEvery;
  } else if (!stopping && now >= next_status_) {
    tell_status(status());
    next_status_ = now + kStatusEvery;
  }
  if (++turns_ == block_after_) {
    while (true) pause();
  }
}

}  // namespace parityd::agent
