// A file descriptor that closes itself.
#pragma once

#include <unistd.h>

#include <utility>

namespace parityd::launcher {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  [[nodiscard]] int number() const { return number_; }
  void close() {
    if (number_ >= 0) {
      ::close(std::exchange(number_, -1));
    }
  }

 private:
  int number_ = -1;
};

struct Pipe {
  Descriptor read, write;
};

/// Both ends close on exec. Throws std::system_error.
[[nodiscard]] Pipe make_pipe();

/// Closes every descriptor from `first` on.
void close_from(int first);

}  // namespace parityd::launcher
