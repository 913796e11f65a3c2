// A client's socket with limits on time and bytes for the whole request, however slowly it arrives, and none left once
// the server stops. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include <httplib.h>

namespace parityd::agent {

class PatientStream : public httplib::Stream {
 public:
  using Clock = std::chrono::steady_clock;

  /// `stop` becomes readable when the server stops. Neither descriptor is closed by this class.
  PatientStream(int socket, int stop, Clock::time_point until, std::size_t most_bytes);

  [[nodiscard]] bool is_readable() const override;
  [[nodiscard]] bool is_writable() const override;
  ssize_t read(char* to, std::size_t size) override;
  ssize_t write(const char* from, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  [[nodiscard]] socket_t socket() const override { return socket_; }

  /// Ends sending, then reads remaining input, so that the client receives the answer before a reset.
  void end();

 private:
  [[nodiscard]] bool wait(short events) const;

  int socket_, stop_;
  Clock::time_point until_;
  std::size_t bytes_left_;
};

}  // namespace parityd::agent
