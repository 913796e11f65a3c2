// Judges files for `parityd check`: each goes through the pipeline separately, several at a time. Stores nothing.
// Blocks; one thread.
#pragma once

#include <tl/expected.hpp>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/cli/running/job_session.h"
#include "agent/daemon/program/attributor.h"
#include "agent/daemon/program/pipeline.h"
#include "agent/daemon/program/reducer.h"
#include "oracle/finding/disposition.h"
#include "oracle/finding/tool_reports.h"

namespace parityd::agent {

/// A file being judged: its position in the pipeline, and what was seen of its program.
struct CheckedFile {
  std::string name;
  std::vector<std::string> fixes;  // fixes applied before it ran
  Subject subject;
  Position position;
  oracle::Verdict judged;   // set once it is done
  oracle::Shown last;       // from the last run
  oracle::Shown confirmed;  // from the last round of fresh processes that showed it
  oracle::Shown shown;      // from confirmation; the stage is from a warm worker
  std::optional<store::ReductionRow> reduced;
  std::unique_ptr<Attributor> attributor;
  std::optional<oracle::ScriptReport> script;  // run if the file would otherwise be ready
  std::string harness_failure;                 // if set, ignore everything else

  [[nodiscard]] bool inconsistent() const { return judged.verdict == oracle::VerdictKind::inconsistent; }
  [[nodiscard]] oracle::Disposition disposition(const oracle::DispositionChoices& choices) const;
  /// The reduced program. REQUIRES: `reduced`.
  [[nodiscard]] Subject smaller() const;
  /// The stand-alone script that shows the inconsistency.
  [[nodiscard]] std::string script_text(const std::string& device, const std::string& torch) const;

  /// Records what was seen; not for stage runs, ablations and candidates, which other parts request.
  void note(const Examined& examined);
  /// The pipeline's event for an examination.
  [[nodiscard]] Event event_of(const Examined& examined) const;
  void go_to(const Move& move);
};

struct CheckPlan {
  std::vector<std::string> files;
  int threads = 0;  // threads of CPU kernels; 0: as the programs say
  bool reduce = false;
  bool attribute = false;
  std::vector<std::string> excuses_off;
  oracle::DispositionChoices choices;
};

class Checker {
 public:
  using Told = std::function<void(const CheckedFile&)>;

  /// REQUIRES: `plan` and `engine` outlive this object.
  Checker(Engine& engine, const CheckPlan& plan);

  /// Calls `told` once for each file, as soon as it is judged. The error: no worker can be started.
  [[nodiscard]] tl::expected<void, std::string> run(Told told);

 private:
  void read(const std::string& name, store::Id id);
  void with_threads(const std::string& name, store::Id id, const executor::Normalised& program);
  void queue(const std::string& name, store::Id id, const executor::Normalised& program);
  void begin_some();
  void on_result(const Examined& examined);
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
