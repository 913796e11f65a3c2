// What the launcher starts, seen from inside: a program that tells what it sees and runs what it is sent.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "executor/process/process.h"
#include "tests/executor/support.h"

namespace parityd::executor::test {

class Launched {
 public:
  struct Setting {
    std::string without;  // a layer
    std::string header;   // what the shared cache holds as Inductor's precompiled header
    std::string overlay;  // what a module `overlaid` says that lies in a folder of its own
  };
  explicit Launched(std::vector<std::string> prefix = {}, std::map<std::string, std::string> extra = {},
                    const Setting& setting = {});

  Process& process() { return *process_; }
  void close() { process_.reset(); }
  [[nodiscard]] std::filesystem::path scratch() const { return folder_.path() / "scratch"; }

  /// Python.
  void send(const std::string& python) { process_->write(python + "\n#end\n"); }
  /// The next thing it tells; null when it ends without a word.
  nlohmann::json told();
  nlohmann::json ask(const std::string& expression);
  ExitState end();
  /// Leaves a grandchild in a session of its own behind; returns words by which it can be found.
  std::string leave_grandchild();

 private:
  TemporaryFolder folder_;
  std::unique_ptr<Process> process_;
};

/// Whether a layer of the sandbox is on, by what the launcher put into the environment.
[[nodiscard]] bool has_layer(const nlohmann::json& environment, const std::string& layer);

/// A user namespace in which no further namespace may be made: what a locked-down machine looks like.
[[nodiscard]] std::vector<std::string> without_namespaces();
[[nodiscard]] bool can_forbid_namespaces();

}  // namespace parityd::executor::test
