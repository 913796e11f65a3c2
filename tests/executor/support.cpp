#include "tests/executor/support.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "executor/build_command.h"
#include "tests/catch.h"
#include "tests/this_build.h"

namespace parityd::executor::test {
namespace {

namespace fs = std::filesystem;
constexpr auto kTooLong = std::chrono::seconds(200);  // under ctest's own limit, so that a test says what it waited for

}  // namespace

fs::path plain_python() {
  for (const fs::path& candidate :
       {fs::path("/usr/bin/python3"), find_program("python3"), this_build::python_with_torch()}) {
    if (!candidate.empty() && fs::exists(candidate)) {
      return candidate;
    }
  }
  return "python3";
}

fs::path launcher() { return this_build::folder() / "bin" / "parityd-worker"; }

void wait_for(const std::vector<Interest>& interests, TimePoint deadline) {
  std::vector<pollfd> watched;
  std::ranges::transform(interests, std::back_inserter(watched), to_poll);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  poll(watched.data(), watched.size(), static_cast<int>(std::clamp<std::int64_t>(left, 0, 1000)));
}

bool service_until(Process& process, const std::function<bool()>& done) {
  const TimePoint end = Clock::now() + kTooLong;
  for (process.poll(); !done(); process.poll()) {
    if (Clock::now() > end) {
      return false;
    }
    (void)process.wait(std::chrono::milliseconds(10));
  }
  return true;
}

bool any_process_with(const std::string& words) {
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator("/proc", gone)) {
    std::ostringstream command;  // << takes it for its end when the process ends between opening and reading
    command << std::ifstream(entry.path() / "cmdline", std::ios::binary).rdbuf();
    if (entry.path().filename() != std::to_string(getpid()) && command.str().find(words) != std::string::npos) {
      return true;
    }
  }
  return false;
}

bool survivor_with(const std::string& words) {
  const TimePoint end = Clock::now() + kTooLong;
  while (any_process_with(words) && Clock::now() < end) {
    poll(nullptr, 0, 5);
  }
  return any_process_with(words);
}

FakePool::FakePool(const std::function<void(GroupConfig&)>& change, const std::string& start) {
  fs::create_directories(module());
  if (!start.empty()) {
    write_file(module() / "start", start);
  }
  fs::create_directories(folder_.path() / "cache");
  write_file(folder_.path() / "cache" / "primed-cpu", "");
  GroupConfig config;
  config.launcher = launcher();
  config.python = plain_python();
  config.module = module();
  config.worker_sources = fs::path(PARITYD_SOURCE_DIR) / "tests" / "fake_worker";
  config.scratch = folder_.path() / "scratch";
  config.shared_cache = folder_.path() / "cache";
  if (change) {
    change(config);
  }
  pool_ = std::make_unique<Pool>(std::vector<GroupConfig>{std::move(config)}, Clock::now());
}

void FakePool::until(const std::function<bool()>& done) {
  const TimePoint end = Clock::now() + kTooLong;
  for (pool_->poll(Clock::now()); !done(); pool_->poll(Clock::now())) {
    REQUIRE(Clock::now() < end);
    std::vector<Interest> interests;
    pool_->append_interests(interests);
    wait_for(interests, std::min(end, pool_->next_deadline().value_or(end)));
  }
}

JobResult FakePool::result_of(JobId id) {
  std::optional<JobResult> taken;
  until([&] {
    std::ranges::move(pool_->take_results(), std::back_inserter(results_));
    const auto found = std::ranges::find(results_, id, &JobResult::id);
    if (found != results_.end()) {
      taken = std::move(*found);
      results_.erase(found);
    }
    return taken.has_value();
  });
  return std::move(*taken);
}

JobResult FakePool::run(const std::string& program, const std::vector<oracle::Mode>& modes) {
  const JobId id = next_id();
  pool_->submit(Job{.id = id, .program = program, .modes = modes}, Clock::now());
  return result_of(id);
}

JobResult FakePool::run_fresh(const std::string& program, const std::vector<oracle::Mode>& modes,
                              const fs::path& artefacts) {
  const JobId id = next_id();
  fs::create_directories(artefacts);
  pool_->submit(Job{.id = id, .program = program, .modes = modes, .fresh = true, .artefacts = artefacts}, Clock::now());
  return result_of(id);
}

}  // namespace parityd::executor::test
