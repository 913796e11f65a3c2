// Gathers, each at most once: output of PyTorch's debugging tools for ready findings; compute-sanitizer reports for
// findings that crashed or were flaky on CUDA; and looks at the places named by hypotheses, before a model is sent the
// outcomes. This is background work, one tool at a time, started only while a fresh process is free and nothing waits
// for one; a look, which takes seconds and delays a conversation, starts as soon as one is free. Also runs stand-alone
// scripts of findings that would otherwise be ready, one at a time, as soon as a fresh process is free. One thread (the
// loop's).
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
  /// Sets the source of wanted looks.
  void look_for(Looks looks) { wanted_looks_ = std::move(looks); }
  /// A finding may have become ready: reads the most important ones again.
  void look_again();
  /// Chooses the next tool to run and marks it as running; nullopt: none now. `confirming`: confirmation rounds are in
  /// progress and keep one process.
  [[nodiscard]] std::optional<Inspection> next(bool confirming, executor::TimePoint now);
  /// Sets the torch of each group of the pool; empty where it is not known yet.
  void set_torches(std::vector<std::string> torches) { torches_ = std::move(torches); }
  [[nodiscard]] const std::vector<std::string>& torches() const { return torches_; }
  /// The next script to run, likewise, on a torch that its finding is claimed for.
  [[nodiscard]] std::optional<Inspection> next_script();
  /// Whether findings wait for their script and workers can be started.
  [[nodiscard]] bool scripts_wait() const { return look_for_scripts_ || script_running_ || !scripts_.empty(); }
  /// A tool's run, and why it failed; empty: its text is now stored.
  struct Gathered {
    Inspection what;
    std::string failure;
  };
  /// Stores results. A failed tool is not retried in this session; a failed script is retried once, and after that, or
  /// if it is inconclusive, in the next session.
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
  executor::TimePoint looks_at_{};  // when to ask for wanted looks again
  std::deque<Inspection> looks_;
  std::deque<Inspection> queue_;
  std::set<std::pair<store::Id, std::string>> failed_;
  bool all_gathered_ = false;  // as of the last refill
  bool running_ = false;
  std::vector<std::string> torches_;
  std::deque<Inspection> scripts_;
  std::map<std::pair<std::string, executor::GroupIndex>, int> script_failures_;  // in this session, by script
  bool look_for_scripts_ = true;
  bool script_running_ = false;
};

}  // namespace parityd::agent
