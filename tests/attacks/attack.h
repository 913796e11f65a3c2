// Runs one attack program (programs/) in the launcher's sandbox, around CPython without torch, and says what became of
// it. What a row of the table needs of the outside (a secret file, a victim process, sockets) is made here.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "executor/process/process.h"
#include "tests/executor/support.h"

namespace parityd::attacks {

/// What an attack program said.
class Told {
 public:
  /// "passed", "denied", or nothing when it said nothing of it.
  [[nodiscard]] std::string outcome(const std::string& name) const;
  [[nodiscard]] std::string detail(const std::string& name) const;
  /// Every attempt, in order; not "sandbox" and "done".
  [[nodiscard]] std::vector<std::string> attempts() const;
  /// What passed, for a check that says which: empty when all attempts were denied.
  [[nodiscard]] std::string passed() const;
  [[nodiscard]] bool has_layer(const std::string& name) const;
  [[nodiscard]] std::string level() const;
  /// Its captured output, once it has finished.
  [[nodiscard]] const std::string& output() const { return output_; }

 protected:
  std::vector<nlohmann::json> told_;
  std::string output_;
};

class Attack : public Told {
 public:
  /// `program`: name of the file in programs/, without ".py". `given`: what the program is told. `options`: more
  /// arguments of the launcher, as "--without", "seccomp".
  Attack(const std::string& program, const nlohmann::json& given, std::vector<std::string> options = {},
         std::vector<std::string> prefix = {}, std::map<std::string, std::string> environment = {});

  /// Runs until it has ended by itself.
  [[nodiscard]] Told finish();
  /// Runs until it has told `name`.
  void wait_for(const std::string& name);
  /// Closes the channel, as a daemon does whose deadline has passed, and waits for the end.
  executor::ExitState end();

  [[nodiscard]] executor::Process& process() { return *process_; }
  [[nodiscard]] std::filesystem::path scratch() const { return folder_.path() / "scratch"; }

 private:
  void take_lines();

  executor::test::TemporaryFolder folder_;
  std::unique_ptr<executor::Process> process_;
};

/// A folder everybody on this machine may read and write, with a file `secret` and a link to it.
class Outside {
 public:
  Outside();
  [[nodiscard]] std::filesystem::path folder() const { return folder_.path(); }
  [[nodiscard]] std::filesystem::path secret() const { return folder_.path() / "secret"; }
  [[nodiscard]] bool untouched() const;

 private:
  executor::test::TemporaryFolder folder_;
};

/// A process of this test's that does nothing; killed at the end.
class Victim {
 public:
  Victim();
  ~Victim();
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;
  [[nodiscard]] int pid() const { return pid_; }
  [[nodiscard]] bool alive() const;
  /// Once it was killed: waits for its end.
  [[nodiscard]] bool dies() const;

 private:
  int pid_;
};

/// Options that leave only what is named on, of the layers that keep programs from others: seccomp, landlock, …
[[nodiscard]] std::vector<std::string> only(const std::vector<std::string>& layers);

}  // namespace parityd::attacks
