// The LLM API of the simulation: a transport whose server lives by the simulation's clock and keeps a book of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "agent/config.h"
#include "agent/llm/transport.h"
#include "tests/simulation/faults.h"
#include "tests/simulation/trace.h"

namespace parityd::simulation {

class SimulatedApi final : public agent::Transport {
 public:
  using Now = std::function<TimePoint()>;
  SimulatedApi(std::uint64_t seed, const std::vector<Spell>& weather, std::chrono::seconds slowest_answer, Now now,
               Trace& trace);

  /// How the provider is to be configured: one dollar a million tokens in, two out.
  [[nodiscard]] static agent::ProviderConfig config();

  agent::TransferId start(agent::HttpRequest request) override;
  void cancel(agent::TransferId id) override { results_.erase(id); }
  [[nodiscard]] std::optional<agent::HttpResult> pop_result(agent::TransferId id) override;
  [[nodiscard]] bool ready() const override;
  /// When the next answer comes.
  [[nodiscard]] std::optional<TimePoint> next_deadline() const;

  /// The daemon has committed what it took; or died before it could.
  void committed();
  void lost();

  struct Book {
    std::int64_t requests = 0, probes = 0;
    std::int64_t billed_nano_dollars = 0;  // answered or not
    std::int64_t tokens = 0;               // of answers that the daemon took whole and committed
    std::set<std::int64_t> programs;       // numbers of programs in these (tests/simulation/nature.h)
  };
  [[nodiscard]] const Book& book() const { return book_; }

 private:
  struct Coming {
    TimePoint at;
    agent::HttpResult result;
    std::int64_t tokens = 0;  // 0: no answer
    std::int64_t program = 0;
  };
  [[nodiscard]] Coming answered(const std::string& body);
  [[nodiscard]] Coming failed(Weather weather, bool probe);
  [[nodiscard]] std::string text_for(const std::string& body, std::int64_t& program);
  [[nodiscard]] std::chrono::milliseconds thinking_time();

  std::mt19937_64 random_;
  const std::vector<Spell>& weather_;
  std::chrono::milliseconds slowest_answer_;
  Now now_;
  Trace& trace_;
  Book book_;
  std::map<agent::TransferId, Coming> results_;
  agent::TransferId next_ = 1;
  std::int64_t programs_ = 0;
  std::string last_program_;
  std::int64_t uncommitted_tokens_ = 0;
  std::set<std::int64_t> uncommitted_;
};

}  // namespace parityd::simulation
