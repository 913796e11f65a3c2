// The simulation's disk: SQLite's own file system without its syncs (nobody pulls the plug here), which is full when it
// is told to be. While one exists it is SQLite's default; one at a time.
#pragma once

#include <sqlite3.h>

namespace parityd::simulation {

class SimulatedDisk {
 public:
  SimulatedDisk();
  ~SimulatedDisk();
  SimulatedDisk(const SimulatedDisk&) = delete;
  SimulatedDisk& operator=(const SimulatedDisk&) = delete;

  void set_full(bool full) { full_ = full; }
  [[nodiscard]] bool full() const { return full_; }

 private:
  bool full_ = false;
  sqlite3_vfs* below_;
  sqlite3_vfs vfs_;
};

}  // namespace parityd::simulation
