// Reads the sources of a torch into the store, file by file, while the daemon goes on: the syntax process takes the
// seconds. What was read before and has not changed since is not read again. One thread (the loop's); called inside the
// loop's transaction.
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
  /// Stores what came. Whether all is read, or has failed.
  bool service(store::Millis wall);
  [[nodiscard]] bool begun() const { return step_ != Step::none; }
  [[nodiscard]] bool done() const { return step_ == Step::done; }
  /// Of the torch that was read; nothing before that, and where it failed.
  [[nodiscard]] std::optional<store::Id> torch() const;
  [[nodiscard]] const std::string& version() const { return files_.torch; }
  /// In words; empty: none. A file that does not parse is one, and the others are read all the same.
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
  std::size_t file_ = 0;             // the next one
  std::set<std::string> operators_;  // whose promises are wanted
  bool asked_ = false;               // an answer is awaited
  store::Millis wall_ = 0;
  std::string problem_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // an answer may come after we are gone
};

}  // namespace parityd::agent
