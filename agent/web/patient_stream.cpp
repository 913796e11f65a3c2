#include "agent/web/patient_stream.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace parityd::agent {
namespace {

using namespace std::chrono_literals;

/// Time for the client to close its side after an answer.
constexpr auto kFarewell = 1s;

/// `of`: getpeername or getsockname.
void name_of(int (*of)(int, sockaddr*, socklen_t*), int socket, std::string& ip, int& port) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (of(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &four.sin_addr, text.data(), text.size());
    port = ntohs(four.sin_port);
  } else if (address.ss_family == AF_INET6) {
    const auto& six = reinterpret_cast<const sockaddr_in6&>(address);
    inet_ntop(AF_INET6, &six.sin6_addr, text.data(), text.size());
    port = ntohs(six.sin6_port);
  }
  ip = text.data();
}

}  // namespace

PatientStream::PatientStream(int socket, int stop, Clock::time_point until, std::size_t most_bytes)
    : socket_(socket), stop_(stop), until_(until), bytes_left_(most_bytes) {
  fcntl(socket_, F_SETFD, FD_CLOEXEC);
  fcntl(socket_, F_SETFL, fcntl(socket_, F_GETFL) | O_NONBLOCK);
}

bool PatientStream::wait(short events) const {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until_ - Clock::now());
    std::array<pollfd, 2> polled{{{.fd = socket_, .events = events}, {.fd = stop_, .events = POLLIN}}};
    const int ready = left > 0ms ? poll(polled.data(), polled.size(), static_cast<int>(left.count())) : 0;
    if (ready < 0 && errno == EINTR) continue;
    return ready > 0 && polled[1].revents == 0 && polled[0].revents != 0;
  }
}

bool PatientStream::is_readable() const { return wait(POLLIN); }
bool PatientStream::is_writable() const { return wait(POLLOUT); }

ssize_t PatientStream::read(char* to, std::size_t size) {
  while (bytes_left_ > 0 && wait(POLLIN)) {
    const ssize_t got = recv(socket_, to, std::min(size, bytes_left_), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    bytes_left_ -= got > 0 ? static_cast<std::size_t>(got) : 0;
    return got;
  }
  return -1;
}

ssize_t PatientStream::write(const char* from, std::size_t size) {
  while (wait(POLLOUT)) {
    const ssize_t sent = send(socket_, from, size, MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    return sent;
  }
  return -1;
}

void PatientStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  name_of(getpeername, socket_, ip, port);
}

void PatientStream::get_local_ip_and_port(std::string& ip, int& port) const { name_of(getsockname, socket_, ip, port); }

void PatientStream::end() {
  shutdown(socket_, SHUT_WR);
  until_ = std::min(until_, Clock::now() + kFarewell);
  std::array<char, 4096> ignored{};
  while (read(ignored.data(), ignored.size()) > 0) {
  }
}

}  // namespace parityd::agent
