// The compiler cache that all workers of one build read: Inductor's precompiled header, what the host was asked, the
// kernels of the priming function. A process that runs no program makes it, once for each kind of device, a GPU's for
// the processors, too; one at a time, since it writes in place and what it wrote changes its owner when it is done. One
// thread (the loop's).
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "executor/confine/descriptor.h"
#include "executor/process/interest.h"
#include "oracle/run_record.h"

namespace parityd::executor {

class SharedCache {
 public:
  /// An empty folder: none is shared.
  SharedCache(std::filesystem::path folder, std::string device);

  /// Nobody has to make it: a builder has left its mark, or none is shared.
  [[nodiscard]] bool whole() const;
  /// True: it is missing, and it is ours alone to build until release(). False while another pool or process builds it.
  [[nodiscard]] bool may_build(TimePoint now);
  [[nodiscard]] bool building() const { return lock_.has_value(); }
  /// When to ask again after may_build() said no.
  [[nodiscard]] TimePoint next() const { return next_; }
  /// The builder has ended; `torch` where it made all of it.
  void release(const std::optional<std::string>& torch);

 private:
  [[nodiscard]] std::filesystem::path mark(const std::string& device) const;

  std::filesystem::path folder_;
  std::string device_;
  std::optional<Descriptor> lock_;  // of the folder itself; the kernel drops it with the process
  TimePoint next_{};
};

}  // namespace parityd::executor
