// A file that `parityd check` judges: where it stands in the pipeline, and what was seen of its program. One thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/daemon/program/attributor.h"
#include "agent/daemon/program/examiner.h"
#include "agent/daemon/program/pipeline.h"
#include "oracle/finding/disposition.h"
#include "oracle/finding/tool_reports.h"
#include "store/store.h"

namespace parityd::agent {

struct CheckedFile {
  std::string name;
  std::vector<std::string> fixes;  // what was changed before it ran
  Subject subject;
  Position position;
  oracle::Verdict judged;   // once it is done
  oracle::Shown last;       // by whatever ran last
  oracle::Shown confirmed;  // by the last round of fresh processes that showed it
  oracle::Shown shown;      // by the gate; at which stage, a warm worker has told
  std::optional<store::ReductionRow> reduced;
  std::unique_ptr<Attributor> attributor;
  std::optional<oracle::ScriptReport> script;  // run where it would be ready
  std::string harness_failure;                 // then nothing else counts

  [[nodiscard]] bool inconsistent() const { return judged.verdict == oracle::VerdictKind::inconsistent; }
  [[nodiscard]] oracle::Disposition disposition(const oracle::DispositionChoices& choices) const;
  /// What it was reduced to. REQUIRES: `reduced`.
  [[nodiscard]] Subject smaller() const;
  /// The stand-alone script of what it shows.
  [[nodiscard]] std::string script_text(const std::string& device, const std::string& torch) const;

  /// Keeps what was seen. Not of ladders, ablations and candidates, which others ask for.
  void note(const Examined& examined);
  /// What that means to the pipeline.
  [[nodiscard]] Event event_of(const Examined& examined) const;
  void go_to(const Move& move);
};

}  // namespace parityd::agent
