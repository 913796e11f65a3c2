// Several providers behind one interface: each gets its share of the prompts; if some cannot answer, the others take
// over. One thread (the loop's).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/llm/provider.h"

namespace parityd::agent {

class Providers : public Provider {
 public:
  struct Member {
    std::unique_ptr<Provider> provider;
    double weight = 1;  // 0: takes prompts only while no member with a weight is available
  };
  explicit Providers(std::vector<Member> members);

  [[nodiscard]] std::string name() const override { return joined(&Provider::name); }    // "a, b"
  [[nodiscard]] std::string model() const override { return joined(&Provider::model); }  // "a, b"
  [[nodiscard]] bool can_repair() const override;
  [[nodiscard]] int capacity(TimePoint now) const override;
  [[nodiscard]] bool available() const override;
  /// The largest reservation of any member; the candidate chosen determines the actual one.
  [[nodiscard]] std::int64_t reserve_nano_dollars(const Prompt& prompt) const override;
  /// Submits to the member that `prompt.provider` names.
  void submit(RequestId id, Prompt prompt, TimePoint now) override;
  [[nodiscard]] std::vector<Answer> take_answers(TimePoint now) override;
  [[nodiscard]] std::optional<TimePoint> next_deadline() const override;
  /// Set once all members have stopped.
  [[nodiscard]] std::optional<std::string> stopped() const override;
  void stop(const std::string& name, const std::string& why) override;
  void reconfigure(const ProviderConfig& config, const Secret& key) override;
  void set_weight(const std::string& name, double weight) override;
  [[nodiscard]] std::vector<Notice> take_notices() override;
  /// Members with a weight and room, the one furthest behind its share first; then those without a weight, which are
  /// used if the budget refuses all before them or if no member with a weight is available.
  [[nodiscard]] std::vector<Provider*> candidates(Purpose purpose, TimePoint now) override;
  void promise(const Provider& candidate) override;

 private:
  struct State {
    Member member;
    double served = 0;  // prompts divided by the weight; a member without room accumulates no credit
    int promised = 0;   // prompts promised this turn, not yet submitted
  };
  [[nodiscard]] std::string joined(std::string (Provider::*text)() const) const;
  /// Applies `action` to the members of that name; several, if the configuration lists a provider twice.
  template <class Action>
  void for_named(const std::string& name, const Action& action);
  [[nodiscard]] static bool has_room(const State& state, Purpose purpose, TimePoint now);

  std::vector<State> members_;
  double reached_ = 0;  // `served` of the member chosen last
};

}  // namespace parityd::agent
