// A lane runs one program after another in a process of its own, outside the pool: what the pool is compared with.
// One thread.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executor/pool/pool.h"
#include "executor/process/process.h"
#include "tests/bench/measure.h"

namespace parityd::bench {

class Lane {
 public:
  struct Done {
    std::string program;
    std::string trouble;                  // empty: it ran in both modes
    std::map<std::string, double> parts;  // seconds by what they went to, where the process told
  };

  Lane(const executor::GroupConfig& config, std::filesystem::path scratch)
      : config_(config), scratch_(std::move(scratch)) {}
  virtual ~Lane() = default;  // ends its process with all that it started
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  [[nodiscard]] virtual bool free() const = 0;
  virtual void give(const Program& program) = 0;  // for a free lane
  void poll();
  void append_interests(std::vector<executor::Interest>& interests) const;
  [[nodiscard]] std::optional<executor::TimePoint> deadline() const;
  [[nodiscard]] std::optional<Done> take_done();
  /// Why it cannot run anything; empty while it can.
  [[nodiscard]] const std::string& broken() const { return broken_; }

 protected:
  /// A message of the process.
  virtual void hear(const std::string& line) = 0;
  /// The process is gone: how, and what it wrote to stderr. It may be started again.
  virtual void ended(executor::ExitState how, const std::string& words) = 0;

  /// It is killed when the limit has passed without finish(), whatever it does meanwhile.
  void start(const executor::ProcessOptions& options, std::chrono::milliseconds limit);
  void begin(const Program& program, std::chrono::milliseconds limit);
  void finish(std::string trouble, std::map<std::string, double> parts);
  void wait_for_work() { deadline_.reset(); }

  [[nodiscard]] const executor::GroupConfig& config() const { return config_; }
  [[nodiscard]] const std::filesystem::path& scratch() const { return scratch_; }
  [[nodiscard]] const std::optional<Program>& program() const { return program_; }
  [[nodiscard]] bool running() const { return process_.has_value(); }
  [[nodiscard]] executor::Process& process() { return *process_; }
  void break_down(std::string why) { broken_ = std::move(why); }
  /// "hung", "died by signal 11", …: what to say of a process that ended without an answer.
  [[nodiscard]] std::string described(executor::ExitState how) const;

 private:
  const executor::GroupConfig& config_;
  std::filesystem::path scratch_;
  std::optional<executor::Process> process_;
  std::optional<Program> program_;
  std::optional<executor::TimePoint> deadline_;
  std::optional<Done> done_;
  std::string broken_;
  bool killed_ = false;
};

/// Every program to the first lane that is free, in order, until all are done. Waits first until all lanes are free.
[[nodiscard]] tl::expected<Round, std::string> lane_round(const std::vector<std::unique_ptr<Lane>>& lanes,
                                                          const std::vector<Program>& programs);

}  // namespace parityd::bench
