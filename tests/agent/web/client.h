// A client of the page's server that says exactly what a test wants said. For tests only.
#pragma once

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <stdexcept>
#include <string>

#include "agent/web/server.h"
#include "executor/confine/descriptor.h"

namespace parityd::tests {

inline int port_of(const agent::PageServer& server) {
  const std::string& address = server.address();
  return std::stoi(address.substr(address.rfind(':') + 1));
}

inline executor::Descriptor connect_to(int port) {
  executor::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket.number(), reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) {
    throw std::runtime_error("nobody listens");
  }
  return socket;
}

inline void say(const executor::Descriptor& socket, const std::string& bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t sent = send(socket.number(), bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (sent <= 0) return;  // the server has ended it: what it said is still to be read
    at += static_cast<std::size_t>(sent);
  }
}

/// All that comes until the server ends.
inline std::string hear(const executor::Descriptor& socket) {
  std::string heard;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = recv(socket.number(), buffer.data(), buffer.size(), 0)) > 0;) {
    heard.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return heard;
}

inline std::string ask(int port, const std::string& bytes) {
  const auto socket = connect_to(port);
  say(socket, bytes);
  return hear(socket);
}

/// `more`: further header lines, each with its line end.
inline std::string get(int port, const std::string& path, const std::string& more = "") {
  return ask(port, fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n", path, port, more));
}

inline std::string post(int port, const std::string& path, const std::string& body, const std::string& more) {
  return ask(port, fmt::format("POST {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: {}\r\n{}\r\n{}", path, port,
                               body.size(), more, body));
}

inline int status_of(const std::string& answer) {
  return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0;
}

inline std::string body_of(const std::string& answer) {
  const auto end = answer.find("\r\n\r\n");
  return end == std::string::npos ? "" : answer.substr(end + 4);
}

}  // namespace parityd::tests
