// Descriptors that are waited for together, by epoll: one that has nothing to say costs nothing. One thread.
#pragma once

#include <vector>

#include "executor/confine/descriptor.h"

namespace parityd::executor {

class DescriptorSet {
 public:
  struct Ready {
    int descriptor = -1;
    bool read = false, write = false;  // an end or an error counts as both
  };

  /// Readable while one of them is ready: a set can be waited for, too. -1 until there was one: it takes a file.
  [[nodiscard]] int number() const { return set_.number(); }
  /// Adds it or changes what is waited for. Throws std::system_error for what epoll does not take, a regular file, and
  /// when no more files may be open.
  void watch(int descriptor, bool read, bool write);
  /// Nothing where it is none of them: one that was closed has left by itself.
  void forget(int descriptor);
  /// Those that are ready now; of very many the others come with the next call.
  [[nodiscard]] std::vector<Ready> ready() const;

 private:
  Descriptor set_;
};

}  // namespace parityd::executor
