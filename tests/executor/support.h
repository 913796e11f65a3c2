// What the executor's tests share: a loop on poll(), and pools of fake workers.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "executor/pool/pool.h"
#include "executor/process/process.h"
#include "tests/files.h"

namespace parityd::executor::test {

using tests::read_file;
using tests::TemporaryFolder;
using tests::write_file;

/// Any CPython; no torch needed. A real interpreter, not a version manager's script.
[[nodiscard]] std::filesystem::path plain_python();
[[nodiscard]] std::filesystem::path launcher();

/// Waits for the interests, at most until `deadline`.
void wait_for(const std::vector<Interest>& interests, TimePoint deadline);

/// Services `process` until `done` holds. False when that took longer than any test should.
bool service_until(Process& process, const std::function<bool()>& done);

/// True when some other process on this machine has `words` in its command line.
[[nodiscard]] bool any_process_with(const std::string& words);
/// The same, but for processes that were killed and are on their way out: waits a little for those.
[[nodiscard]] bool survivor_with(const std::string& words);

/// A pool of fake workers in a folder of its own.
class FakePool {
 public:
  /// One group, its shared cache already there.
  explicit FakePool(const std::function<void(GroupConfig&)>& change = {}, const std::string& start = {});

  Pool& operator*() { return *pool_; }
  Pool* operator->() { return pool_.get(); }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }
  /// In the command line of what `double fork` leaves behind in the first worker; in no other test's.
  [[nodiscard]] std::string grandchild() const {
    return (folder_.path() / "scratch" / "w0" / "home" / ".." / "grandchild").string();
  }
  [[nodiscard]] std::filesystem::path module() const { return folder_.path() / "module"; }
  void end() { pool_.reset(); }

  /// Runs the loop until `done` holds; fails the test when it never does.
  void until(const std::function<bool()>& done);
  /// Submits one program and runs the loop until its result is there.
  JobResult run(const std::string& program,
                const std::vector<oracle::Mode>& modes = {oracle::Mode::eager, oracle::Mode::inductor});
  JobResult run_fresh(const std::string& program, const std::vector<oracle::Mode>& modes,
                      const std::filesystem::path& artefacts);
  JobResult result_of(JobId id);
  JobId next_id() { return next_id_++; }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<Pool> pool_;
  std::vector<JobResult> results_;
  JobId next_id_ = 1;
};

}  // namespace parityd::executor::test
