// What the daemon does in a worker's own folder, the only place that both see. A program may have put anything there:
// no link is followed, and only files with the expected names are taken. One thread (the loop's), and only once no
// process that ran the program is left.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "executor/confine/descriptor.h"
#include "executor/process/interest.h"
#include "executor/protocol.h"
#include "oracle/run_record.h"

namespace parityd::executor {

/// The folder of one fresh job with its own program, artefacts and compiler caches, so that no job sees another's.
[[nodiscard]] std::filesystem::path job_folder(const std::filesystem::path& scratch, std::int64_t id);

/// Moves the existing artefacts of `modes` from the job's folder into `artefacts`, which is created.
/// Throws std::system_error when `artefacts` cannot be written to.
void take_artefacts(const std::filesystem::path& scratch, std::int64_t id, const std::filesystem::path& artefacts,
                    std::span<const oracle::Mode> modes);

/// The file beside a job's artefacts that one of PyTorch's debugging tools fills.
inline constexpr std::string_view kToolText = "inspect.txt";

/// That file's text, at most 2 MiB; empty if there is none, or if something else has that name.
[[nodiscard]] std::string taken_text(const std::filesystem::path& scratch, std::int64_t id);

/// The place where the launcher shows the shared cache's precompiled header to a worker.
struct SharedHeader {
  std::filesystem::path cache;  // the shared cache's folder
  bool mounted = true;          // read-only mounts over empty files; otherwise links, which a program may replace
};

/// Removes what a fresh job left in the folders it may write to, including under the names of future jobs. Of the
/// precompiled header only what the launcher put there stays: a header written by a program would become part of what
/// the next one compiles.
void clean_up(const std::filesystem::path& scratch, const SharedHeader& header);

// The compiler cache that all workers of one build read: Inductor's precompiled header, facts about the host, the
// kernels of the priming function. A process that runs no program makes it, once for each device kind; priming for a
// GPU includes the processors. Only one at a time, because it writes in place and the files change their owner when it
// is done. One thread (the loop's).

class SharedCache {
 public:
  /// An empty folder: no cache is shared.
  SharedCache(std::filesystem::path folder, std::string device);

  /// Whether it need not be built: a builder has left its mark, or none is shared.
  [[nodiscard]] bool whole() const;
  /// True: it is missing, and ours alone to build until release(). False while another pool or process builds it.
  [[nodiscard]] bool may_build(TimePoint now);
  [[nodiscard]] bool building() const { return lock_.has_value(); }
  /// When to ask again after may_build() returned false.
  [[nodiscard]] TimePoint next() const { return next_; }
  /// The builder has ended; `torch` is given if it made everything.
  void release(const std::optional<std::string>& torch);

 private:
  [[nodiscard]] std::filesystem::path mark(const std::string& device) const;

  std::filesystem::path folder_;
  std::string device_;
  std::optional<Descriptor> lock_;  // on the folder itself; the kernel releases it when the process ends
  TimePoint next_{};
};

}  // namespace parityd::executor
