#include "agent/daemon/loop/service_notify.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "store/base/text.h"

namespace parityd::agent {
namespace {

std::string take_variable(const char* name) {
  const char* const value = std::getenv(name);
  std::string copy = value != nullptr ? value : "";
  unsetenv(name);
  return copy;
}

/// 0 for what is no number.
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

ServiceNotify::ServiceNotify(Supervisor supervisor) : supervisor_(std::move(supervisor)) {
  if (!supervisor_.socket.empty()) {  // opened now: later there may be no descriptor left
    socket_ = executor::Descriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  }
}

void ServiceNotify::send(const std::string& text) const {
  sockaddr_un address{};
  const std::string& name = supervisor_.socket;
  if (!socket_.open() || name.size() >= sizeof address.sun_path) {
    return;
  }
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.data(), name.size());
  if (name.front() == '@') {
    address.sun_path[0] = '\0';  // an abstract name; its length is what ends it
  }
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  // A supervisor that does not listen is not our concern.
  (void)!sendto(socket_.number(), text.data(), text.size(), MSG_NOSIGNAL, reinterpret_cast<sockaddr*>(&address),
                length);
}

void ServiceNotify::ready() { send("READY=1"); }
void ServiceNotify::reloading() { send(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", monotonic_microseconds())); }
void ServiceNotify::stopping() { send("STOPPING=1"); }
void ServiceNotify::status(const std::string& text) { send("STATUS=" + store::clean_line(text)); }
void ServiceNotify::extend(std::chrono::microseconds time) {
  send(fmt::format("EXTEND_TIMEOUT_USEC={}", time.count()));
}

void ServiceNotify::ping_if_due(executor::TimePoint now) {
  const bool all = std::all_of(ticked_.begin(), ticked_.end(), [](bool ticked) { return ticked; });
  if (supervisor_.watchdog.count() == 0 || !all || now < next_ping_) {
    return;
  }
  send("WATCHDOG=1");
  ticked_.fill(false);
  next_ping_ = now + supervisor_.watchdog / 3;
}

std::optional<executor::TimePoint> ServiceNotify::next_ping() const {
  return supervisor_.watchdog.count() == 0 ? std::nullopt : std::optional(next_ping_);
}

}  // namespace parityd::agent
