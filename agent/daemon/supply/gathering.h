// Gathers what PyTorch's debugging tools tell of ready findings, and what compute-sanitizer tells of those that crashed
// or were flaky on CUDA, each once; and what a hypothesis's program does at the place that it names, before a model is
// told what came of it: background work, a tool at a time, begun only while a fresh process is free and
// nothing waits for one; a look, which takes seconds and for which a conversation waits, as soon as one is free. Beside
// them stand-alone scripts of findings that would be ready, one at a time, as soon as a fresh process is free. One
// thread (the loop's).
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/daemon/program/examiner.h"
#include "agent/reading/conversation.h"
#include "store/store.h"

namespace parityd::agent {

class Gathering {
 public:
  Gathering(store::Store& store, executor::Workers& pool, Examiner& examiner);

  using Looks = std::function<std::vector<Look>()>;
  /// Those wanted are made, too.
  void look_for(Looks looks) { wanted_looks_ = std::move(looks); }
  /// A finding may have become ready: the worst are looked up anew.
  void look_again();
  /// Chooses the next tool to run, and marks it as running. `gating`: rounds are on their way; they keep a process.
  [[nodiscard]] std::optional<Inspection> next(bool gating, executor::TimePoint now);
  /// Of the pool's groups, a torch each; empty where it is not known yet.
  void set_torches(std::vector<std::string> torches) { torches_ = std::move(torches); }
  [[nodiscard]] const std::vector<std::string>& torches() const { return torches_; }
  /// The next script, likewise, on a torch that its finding is claimed for.
  [[nodiscard]] std::optional<Inspection> next_script();
  /// Findings wait for their script, where workers can be started.
  [[nodiscard]] bool scripts_wait() const { return look_for_scripts_ || script_running_ || !scripts_.empty(); }
  /// What a tool was asked, and why it failed; empty: its text is stored now.
  struct Gathered {
    Inspection what;
    std::string failure;
  };
  /// Stores what came. A tool that failed is not tried again in this session; a script is once, and after that, or
  /// where it cannot tell, in the next session.
  [[nodiscard]] std::vector<Gathered> store_results(store::Millis now);

 private:
  void refill();
  void refill_looks(executor::TimePoint now);
  void refill_scripts();
  void queue(const store::FindingRow& finding, const std::vector<std::string>& run, std::string_view tool);
  [[nodiscard]] Gathered store_script(const Inspected& inspected, store::Millis now);
  [[nodiscard]] executor::GroupIndex group_for(const std::string& device) const;

  store::Store& store_;
  executor::Workers& pool_;
  Examiner& examiner_;
  Looks wanted_looks_;
  executor::TimePoint looks_at_{};  // when they are asked for next
  std::deque<Inspection> looks_;
  std::deque<Inspection> queue_;
  std::set<std::pair<store::Id, std::string>> failed_;
  bool all_gathered_ = false;  // as of the last look
  bool running_ = false;
  std::vector<std::string> torches_;
  std::deque<Inspection> scripts_;
  std::map<std::pair<std::string, executor::GroupIndex>, int> script_failures_;  // in this session, by the script
  bool look_for_scripts_ = true;
  bool script_running_ = false;
};

}  // namespace parityd::agent
