// A file descriptor that closes itself. Any thread, one owner.
#pragma once

#include <unistd.h>

namespace parityd::executor {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    const int number = other.release();
    close();
    number_ = number;
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool open() const { return number_ >= 0; }
  void close() {
    if (open()) ::close(release());
  }

 private:
  int release() {
    const int number = number_;
    number_ = -1;
    return number;
  }

  int number_ = -1;
};

}  // namespace parityd::executor
