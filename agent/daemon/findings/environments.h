// Which environment the rows of each group of workers belong to: stored once a worker has said what it is, with its
// text once an idle one has told it. One thread (the loop's), inside its transaction.
#pragma once

#include <set>

#include "agent/daemon/findings/recorder.h"
#include "agent/daemon/loop/turn.h"

namespace parityd::agent {

class Environments {
 public:
  Environments(Turn& turn, Recorder& recorder) : turn_(turn), recorder_(recorder) {}

  /// Takes what is known by now. True: with its text.
  bool update(executor::GroupIndex group);
  /// The group's workers have another torch, Python or device than before.
  void forget(executor::GroupIndex group);

 private:
  Turn& turn_;
  Recorder& recorder_;
  std::set<executor::GroupIndex> complete_;
};

}  // namespace parityd::agent
