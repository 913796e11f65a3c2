// The provider without a model: replays the shipped corpus once. No key, no network, no cost. The mutants and composed
// programs that follow are made by the daemon, whatever its provider (agent/daemon/supply/breeding.h). One thread (the
// loop's).
#pragma once

#include <tl/expected.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "agent/llm/provider.h"

namespace parityd::agent {

/// An item of the corpus: a recorded reply (.md) or a seed program (.py), named STRATEGY-NAME.
struct CorpusItem {
  std::string name;      // "dynamic-03"
  std::string strategy;  // "dynamic": the program was written for this strategy's default options
  std::string text;      // the reply: as recorded, or the program in a code fence
};

/// Every .md and .py file of the folder, sorted by name. The error names the folder or file that cannot be read.
[[nodiscard]] tl::expected<std::vector<CorpusItem>, std::string> load_corpus(const std::filesystem::path& folder);

class BuiltinProvider : public Provider {
 public:
  /// The provider "bred": without a corpus; it answers nothing, so only bred programs are run.
  BuiltinProvider() : name_("bred"), replayed_(true) {}
  /// Throws std::runtime_error if the corpus cannot be read or is empty. A prompt's number counts 0, 1, 2, … over the
  /// daemon's life and is its index in the corpus, whose order `seed` shuffles.
  BuiltinProvider(const std::filesystem::path& corpus, std::uint64_t seed);

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string model() const override { return "builtin"; }
  [[nodiscard]] bool can_repair() const override { return false; }
  /// 0 once a prompt came after the end of the corpus.
  [[nodiscard]] int capacity(TimePoint now) const override;
  [[nodiscard]] std::int64_t reserve_nano_dollars(const Prompt&) const override { return 0; }
  /// Refuses repairs (configuration) and prompts after the end of the corpus (unavailable).
  void submit(RequestId id, Prompt prompt, TimePoint now) override;
  [[nodiscard]] std::vector<Answer> take_answers(TimePoint now) override;
  [[nodiscard]] std::optional<TimePoint> next_deadline() const override;

 private:
  std::vector<CorpusItem> corpus_;  // in replay order
  std::string name_ = "builtin";
  bool replayed_ = false;
  std::vector<Answer> answers_;
};

/// The strategy whose default options apply to a replayed program, read from `reply.model`
/// ("builtin/corpus/dynamic-03"); empty for replies of other providers.
[[nodiscard]] std::string corpus_strategy(const Reply& reply);

}  // namespace parityd::agent
