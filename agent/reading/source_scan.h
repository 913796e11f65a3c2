// Reads the sources of a torch into the store, file by file, without blocking the daemon: the syntax process does the
// slow work. Sources that were read before and have not changed are not read again. One thread (the loop's); called
// inside the loop's transaction.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "executor/syntax/source_client.h"
#include "store/store.h"

namespace parityd::agent {

class SourceScan {
 public:
  SourceScan(executor::Sources& sources, store::Store& store) : sources_(sources), store_(store) {}
  SourceScan(const SourceScan&) = delete;
  SourceScan& operator=(const SourceScan&) = delete;

  void begin(store::Millis wall);
  /// Stores answers that have arrived. Returns whether the scan has ended, by success or failure.
  bool advance(store::Millis wall);
  [[nodiscard]] bool begun() const { return step_ != Step::none; }
  [[nodiscard]] bool done() const { return step_ == Step::done; }
  /// The torch that was read; nullopt before the end and after a failure.
  [[nodiscard]] std::optional<store::Id> torch() const;
  [[nodiscard]] const std::string& version() const { return files_.torch; }
  /// As text; empty: none. A file that does not parse is a problem, but the other files are still read.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  enum class Step { none, files, units, promises, done };

  void ask();
  void take_files(executor::SourceFiles files);
  void take_units(const std::string& file, const std::vector<executor::SourceUnit>& units);
  void fail(const std::string& problem);
  void end();

  executor::Sources& sources_;
  store::Store& store_;
  Step step_ = Step::none;
  executor::SourceFiles files_;
  store::Id torch_ = 0;
  std::size_t file_ = 0;             // index of the next file
  std::set<std::string> operators_;  // operators whose promises to ask for
  bool asked_ = false;               // an answer is pending
  store::Millis wall_ = 0;
  std::string problem_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // an answer may come after this object is destroyed
};

}  // namespace parityd::agent
