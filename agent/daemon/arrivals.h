// What arrives: replies of providers, and the programs made of them, of requests and of other programs, which become
// rows and wait in the queue. One thread (the loop's), inside its transaction.
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
  /// References outlive it.
  Arrivals(Workshop& shop, Programs& programs, Sourcing& sourcing)
      : shop_(shop), programs_(programs), sourcing_(sourcing) {}

  /// At a start: replies of which nothing was made, and programs that are to be repaired.
  void resume();
  /// Takes what providers have answered, and what was parsed since.
  void service();
  /// A program that a request asks for. The request stays open until the program is a row.
  void import(Arrival arrival);
  [[nodiscard]] bool is_importing(store::Id request) const { return importing_.contains(request); }
  /// After the configuration has changed: providers try again.
  void reload();
  /// Why no provider answers any more; empty: one does.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  /// Nothing of what came is without a row, and nobody waits for a repair.
  [[nodiscard]] bool idle() const {
    return shop_.intake.in_flight() == 0 && programs_.repairs().empty() && sourcing_.in_flight() == 0;
  }

 private:
  /// A reply of which programs are being parsed.
  struct OpenReply {
    int left = 0, taken = 0;
  };

  void take_answers();
  void take(Answered answered);
  void count(const store::ReplyRow& row);
  void take_useless(const Answered& answered);
  void count_useless(const std::string& provider);
  void add(Taken taken);
  /// The program's row; nothing where there is none, and why not as the reply's class.
  [[nodiscard]] std::optional<store::Id> add_row(const Taken& taken, std::string& klass);
  void end_repair(const Taken& taken, std::optional<store::Id> program, const std::string& klass);
  void disown(Taken& taken);
  void close_reply(const Arrival& arrival, std::optional<store::Id> program, const std::string& klass);

  Workshop& shop_;
  Programs& programs_;
  Sourcing& sourcing_;
  std::set<store::Id> importing_;         // requests whose programs are not rows yet
  std::set<store::Id> repairs_retried_;   // asked for again once, where no provider could answer
  std::set<store::Id> repairs_answered_;  // before a restart: not to be asked for again
  std::map<store::Id, OpenReply> open_replies_;
  std::map<std::string, int> replies_without_program_;  // in a row, by provider
  std::string problem_;
};

}  // namespace parityd::agent
