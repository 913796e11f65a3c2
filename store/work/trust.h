// Verdicts that rest on a warm worker's word until its whole state has been looked at. Times are Unix milliseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/base/ids.h"

namespace parityd::store {

class Connection;

/// Verdicts that rest on a warm worker's word until its whole state has been looked at. One thread.
class Trust {
 public:
  explicit Trust(Connection& connection) : connection_(connection) {}

  /// A warm worker has judged it, and its whole state is still to be looked at.
  void note_unsettled(Id program);
  /// That has been done, and the word of one examination holds.
  void settle(Id program);
  /// None of the words on it that are open holds, and nothing rests on them any more.
  void unsettle(Id program);
  /// None of what warm workers said of it holds: how often it has now been judged again. `counts` false: the daemon
  /// ended, not a worker, which is one time however often it happens.
  int note_again(Id program, bool counts);
  [[nodiscard]] int times_judged_again(Id program) const;
  /// Programs that rest on the word of workers nobody has looked at since.
  [[nodiscard]] std::vector<Id> unsettled() const;
  /// Programs in the queue that have been there before.
  [[nodiscard]] std::vector<Id> queued_again() const;

 private:
  Connection& connection_;
};

}  // namespace parityd::store
