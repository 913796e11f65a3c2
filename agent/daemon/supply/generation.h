// Generation: requests programs and repairs from a provider, within the budget, and books every request before it is
// sent. One thread (the loop's); called inside the loop's transaction, sends after it.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/config.h"
#include "agent/daemon/loop/turn.h"
#include "agent/daemon/supply/intake.h"
#include "agent/daemon/supply/scheduler.h"
#include "agent/llm/provider.h"
#include "agent/reading/reading_room.h"
#include "prompts/error_class.h"
#include "prompts/strategy.h"
#include "store/store.h"

namespace parityd::agent {

/// The class of a reply that gives up its remaining hypotheses.
inline constexpr const char* kNothingLeft = "nothing_left";

/// How a program failed in eager mode, in the form in which errors are classified.
[[nodiscard]] prompts::Failure failure_of(const oracle::Outcome& eager);

struct Answered {
  store::ReplyRow row;            // as stored
  std::vector<Arrival> arrivals;  // programs to add; several for a reading, else one or none
  bool again = false;             // the provider could not answer: the same prompt may be sent again
  bool trimmed = false;           // the prompt was too long: sent again with less quoted
  bool rests = false;             // too long again, like the previous ones: its strategy is no longer chosen
};

class Generation {
 public:
  Generation(const Config& config, const prompts::PromptSet& prompts, Provider& provider, store::Store& store,
             Scheduler& scheduler);

  /// From now on strategies that read may be used if there is something to read.
  void read_in(const ReadingRoom& room) { room_ = &room; }

  /// Whether outcomes of hypotheses are sent back to the model at all.
  [[nodiscard]] bool tells_outcomes() const;

  /// Why the provider whose turn it was is not asked now ("budget: …"); empty: it may be.
  [[nodiscard]] const std::string& pause_reason() const { return pause_reason_; }
  [[nodiscard]] int generating() const;  // prompts for new programs in flight
  [[nodiscard]] int in_flight() const { return static_cast<int>(requests_.size()); }
  [[nodiscard]] Provider& provider() { return provider_; }

  /// Both return whether a request was booked and put into `outbox`.
  bool ask(executor::TimePoint now, store::Millis wall, Outbox& outbox);
  bool repair(const store::ProgramRow& program, const oracle::Outcome& eager, executor::TimePoint now,
              store::Millis wall, Outbox& outbox);

  /// Stores the answers; a prompt that was too long is trimmed and sent again once.
  [[nodiscard]] std::vector<Answered> drain_answers(executor::TimePoint now, store::Millis wall, Outbox& outbox);
  /// The same for a reply that was stored before a restart and not processed since.
  [[nodiscard]] Answered reread(const store::ReplyRow& row) const;

 private:
  struct Request {
    Prompt prompt;
    store::ReplyRow row;
    std::string shorter;  // the user message with less quoted; empty: nothing to trim
    std::optional<store::ReadingRow> reading;
    std::size_t units_when_trimmed = std::numeric_limits<std::size_t>::max();  // units of the reading
    std::string partner;  // provider of the conversation, which has the rest of it in its cache
  };
  [[nodiscard]] bool submit(Request request, executor::TimePoint now, store::Millis wall, Outbox& outbox);
  [[nodiscard]] bool submit_trimmed(Request request, executor::TimePoint now, store::Millis wall, Outbox& outbox);
  using Text = std::function<std::string(prompts::Quoting)>;
  [[nodiscard]] Request request(Prompt prompt, store::ReplyRow row, const std::string& system, const Text& text) const;
  /// A request for a new program.
  [[nodiscard]] Request first_request(const prompts::Strategy& chosen, std::uint64_t seed, const std::string& system,
                                      const Text& text) const;
  /// Null: no strategy is left whose prompts fit the model's context window.
  [[nodiscard]] const prompts::Strategy* strategy(std::uint64_t seed, std::size_t parents,
                                                  const std::vector<const prompts::Strategy*>& readings) const;
  /// Its last prompts were too long even with less quoted.
  [[nodiscard]] bool rests(const std::string& strategy) const;
  [[nodiscard]] std::vector<const prompts::Strategy*> readings() const;
  [[nodiscard]] Request usual(const prompts::Strategy& chosen, std::uint64_t seed) const;
  /// Both return nullopt if there is nothing to read or no outcome to send.
  [[nodiscard]] std::optional<Request> reading(const prompts::Strategy& chosen, std::uint64_t seed) const;
  [[nodiscard]] std::optional<Request> outcomes(const prompts::Strategy& chosen, std::uint64_t seed) const;
  [[nodiscard]] std::vector<Arrival> arrivals_of(const store::ReplyRow& row, std::string& klass) const;
  [[nodiscard]] std::uint64_t next_seed();
  [[nodiscard]] std::uint64_t count_up(const std::string& key);

  const Config& config_;
  const prompts::PromptSet& prompts_;
  Provider& provider_;
  store::Store& store_;
  Scheduler& scheduler_;
  const ReadingRoom* room_ = nullptr;
  std::string pause_reason_;
  std::map<RequestId, Request> requests_;  // keyed by reply id
  std::map<std::string, int> too_long_;    // consecutive prompts, by strategy
};

}  // namespace parityd::agent
