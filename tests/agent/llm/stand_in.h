// The stand-in API as a child process: started with a script of rules, asked for its journal, ended with the test.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/files.h"

namespace parityd::agent::test {

class StandIn {
 public:
  /// `rules` and `options` as tests/llm_server/server.py documents them.
  explicit StandIn(const nlohmann::json& rules, const std::string& key = "", std::vector<std::string> options = {});
  ~StandIn();
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] std::string base_url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/v1"; }
  [[nodiscard]] std::string chat_url() const { return base_url() + "/chat/completions"; }
  /// Entries of that event: "request", "sent", "refused".
  [[nodiscard]] std::vector<nlohmann::json> journal(const std::string& event) const;

 private:
  tests::TemporaryFolder folder_;
  pid_t process_ = -1;
  int input_ = -1;  // its standard input: it lives until this is closed, by the destructor or by the test's death
  int port_ = 0;
};

}  // namespace parityd::agent::test
