// Incoming replies of providers, and programs from replies, requests and other programs: turns them into queued rows.
// One thread (the loop's), inside its transaction.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "agent/daemon/life/programs.h"
#include "agent/daemon/sourcing.h"

namespace parityd::agent {

class Arrivals {
 public:
  /// References outlive this object.
  Arrivals(Workshop& shop, Programs& programs, Sourcing& sourcing)
      : shop_(shop), programs_(programs), sourcing_(sourcing) {}

  /// At startup: resumes unprocessed replies and programs waiting for a repair.
  void resume();
  /// Takes the providers' answers, and programs parsed since the last call.
  void receive();
  /// Imports the program of a request. The request stays open until the program has a row.
  void import(Arrival arrival);
  [[nodiscard]] bool is_importing(store::Id request) const { return importing_.contains(request); }
  /// After a configuration change: providers are tried again.
  void reload();
  /// Why no provider answers any more; empty: at least one does.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  /// Every arrival has become a row, and no program waits for a repair.
  [[nodiscard]] bool idle() const {
    return shop_.intake.in_flight() == 0 && programs_.repairs().empty() && sourcing_.in_flight() == 0;
  }

 private:
  /// A reply whose programs are still being parsed.
  struct OpenReply {
    int left = 0, taken = 0;
  };

  void take_answers();
  void on_answer(Answered answered);
  void count(const store::ReplyRow& row);
  void take_useless(const Answered& answered);
  void count_useless(const std::string& provider);
  void add(Taken taken);
  /// The program's row; nullopt if none was added, with the reason as the reply's class in `klass`.
  [[nodiscard]] std::optional<store::Id> add_row(const Taken& taken, std::string& klass);
  void end_repair(const Taken& taken, std::optional<store::Id> program, const std::string& klass);
  void disown(Taken& taken);
  void close_reply(const Arrival& arrival, std::optional<store::Id> program, const std::string& klass);

  Workshop& shop_;
  Programs& programs_;
  Sourcing& sourcing_;
  std::set<store::Id> importing_;         // requests whose programs are not rows yet
  std::set<store::Id> repairs_retried_;   // asked for a second time because no provider could answer
  std::set<store::Id> repairs_answered_;  // answered before a restart; not to be asked for again
  std::map<store::Id, OpenReply> open_replies_;
  std::map<std::string, int> replies_without_program_;  // consecutive, by provider
  std::string problem_;
};

}  // namespace parityd::agent
