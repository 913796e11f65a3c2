// What the daemon does in a worker's own folder, the only place that both see. A program may have put anything there:
// nothing is followed, and only files with the expected names are taken. One thread (the loop's), and only while no
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

/// The folder of one fresh job: program, artefacts and compiler caches of its own, so that no job sees another's.
[[nodiscard]] std::filesystem::path job_folder(const std::filesystem::path& scratch, std::int64_t id);

/// Moves the artefacts of `modes` that are there from the job's folder into `artefacts`, which is made.
/// Throws std::system_error when `artefacts` cannot be written to.
void take_artefacts(const std::filesystem::path& scratch, std::int64_t id, const std::filesystem::path& artefacts,
                    std::span<const oracle::Mode> modes);

/// The file beside a job's artefacts that one of PyTorch's debugging tools fills.
inline constexpr std::string_view kToolText = "inspect.txt";

/// That file's text, at most 2 MiB of it; empty where there is none, or something else by that name.
[[nodiscard]] std::string taken_text(const std::filesystem::path& scratch, std::int64_t id);

/// Where the launcher shows a worker the shared cache's precompiled header.
struct SharedHeader {
  std::filesystem::path cache;  // the shared cache's folder
  bool mounted = true;          // read-only mounts over empty files; else links, which a program may replace
};

/// Removes what a fresh job left in the folders it may write to, under the names of jobs to come, too. Of the
/// precompiled header only what the launcher put there stays: a header that a program wrote would become part of what
/// the next one compiles.
void clean_up(const std::filesystem::path& scratch, const SharedHeader& header);

// The compiler cache that all workers of one build read: Inductor's precompiled header, what the host was asked, the
// kernels of the priming function. A process that runs no program makes it, once for each kind of device, a GPU's for
// the processors, too; one at a time, since it writes in place and what it wrote changes its owner when it is done. One
// thread (the loop's).

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
