// Judges files for `parityd check`: each goes through the pipeline by itself, several at a time. Stores nothing.
// Blocks; one thread.
#pragma once

#include <tl/expected.hpp>

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "agent/cli/running/checked_file.h"
#include "agent/cli/running/job_session.h"
#include "agent/daemon/program/reducer.h"

namespace parityd::agent {

struct CheckPlan {
  std::vector<std::string> files;
  int threads = 0;  // of kernels on a CPU; 0: as the programs say
  bool reduce = false;
  bool attribute = false;
  std::vector<std::string> excuses_off;
  oracle::DispositionChoices choices;
};

class Checker {
 public:
  using Told = std::function<void(const CheckedFile&)>;

  /// REQUIRES: `plan` and `engine` outlive it.
  Checker(Engine& engine, const CheckPlan& plan);

  /// Gives `told` each file once, as soon as it is judged. The error: no worker can be started.
  [[nodiscard]] tl::expected<void, std::string> run(Told told);

 private:
  void read(const std::string& name, store::Id id);
  void with_threads(const std::string& name, store::Id id, const executor::Normalised& program);
  void queue(const std::string& name, store::Id id, const executor::Normalised& program);
  void begin_some();
  void take(const Examined& examined);
  void take_reduced();
  void take_scripts();
  void step(CheckedFile& file, const Event& event);
  void finish(CheckedFile& file, const Move& move);
  void begin_attribution(CheckedFile& file);
  void end(CheckedFile& file);
  void tell_and_forget(const CheckedFile& file);
  [[nodiscard]] std::string torch() const;

  Engine& engine_;
  const CheckPlan& plan_;
  JobSession session_;
  Reducer reducer_;
  Told told_;
  std::deque<CheckedFile> waiting_;
  std::map<store::Id, CheckedFile> files_;
};

}  // namespace parityd::agent
