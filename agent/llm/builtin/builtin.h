// The provider without a model: replays the shipped corpus once, then breeds mutants of it and composes programs. No
// key, no network, no cost. What it answers depends on the corpus, its seed and the prompt's seed alone. One thread
// (the loop's).
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "agent/llm/builtin/corpus.h"
#include "agent/llm/provider.h"
#include "executor/syntax/syntax_client.h"

namespace parityd::agent {

class BuiltinProvider : public Provider {
 public:
  /// Throws std::runtime_error when the corpus cannot be read or is empty. `syntax` must outlive the provider; whoever
  /// owns it calls its service(). A prompt's seed counts up 0, 1, 2, … over the daemon's life: it is the place in the
  /// sequence.
  BuiltinProvider(const std::filesystem::path& corpus, executor::SyntaxClient& syntax, std::uint64_t seed);
  ~BuiltinProvider() override;

  [[nodiscard]] std::string name() const override { return "builtin"; }
  [[nodiscard]] std::string model() const override { return "builtin"; }
  [[nodiscard]] bool can_repair() const override { return false; }
  [[nodiscard]] int capacity(TimePoint now) const override;
  [[nodiscard]] std::int64_t reserve_nano_dollars(const Prompt&) const override { return 0; }
  /// A prompt to repair is answered with an error of kind configuration.
  void submit(RequestId id, Prompt prompt, TimePoint now) override;
  [[nodiscard]] std::vector<Answer> take_answers(TimePoint now) override;
  [[nodiscard]] std::optional<TimePoint> next_deadline() const override;
  [[nodiscard]] std::optional<std::string> stopped() const override { return std::nullopt; }

  /// How many first prompts replay the corpus, with as many composed programs between.
  [[nodiscard]] std::uint64_t replay_length() const { return 2 * corpus_.size(); }

 private:
  struct Link;  // outlives the provider inside callbacks of the syntax client

  void mutate(RequestId id, std::uint64_t position);
  void answer(RequestId id, Reply reply);

  std::vector<CorpusItem> corpus_;
  std::vector<std::size_t> replay_order_;
  executor::SyntaxClient& syntax_;
  std::uint64_t seed_;
  std::set<RequestId> waiting_;  // for the syntax client
  std::vector<Answer> answers_;
  std::shared_ptr<Link> link_;
};

/// The strategy whose default options belong to a builtin reply: what stands in `reply.model`
/// ("builtin/corpus/dynamic-03", "builtin/mutant/views-07"); empty for composed programs, which set their own, and for
/// other providers' replies.
[[nodiscard]] std::string corpus_strategy(const Reply& reply);

}  // namespace parityd::agent
