// The provider without a model: replays the shipped corpus once. No key, no network, no cost. What follows, mutants and
// composed programs, the daemon breeds by itself, whoever its provider is (agent/daemon/supply/breeding.h). One thread
// (the loop's).
#pragma once

#include <tl/expected.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "agent/llm/provider.h"

namespace parityd::agent {

/// Of the corpus: recorded replies (.md) and seed programs (.py), named STRATEGY-NAME.
struct CorpusItem {
  std::string name;      // "dynamic-03"
  std::string strategy;  // "dynamic": whose default options the program was written for
  std::string text;      // the reply: as recorded, or the program in a fence
};

/// Every .md and .py file of the folder, by name. An error names the folder or file that cannot be read.
[[nodiscard]] tl::expected<std::vector<CorpusItem>, std::string> load_corpus(const std::filesystem::path& folder);

class BuiltinProvider : public Provider {
 public:
  /// Of no corpus: it answers nothing, and what is bred is all there is.
  BuiltinProvider() : name_("bred"), replayed_(true) {}
  /// Throws std::runtime_error when the corpus cannot be read or is empty. A prompt's number counts up 0, 1, 2, …
  /// over the daemon's life: it is the place in the corpus, whose order `seed` shuffles.
  BuiltinProvider(const std::filesystem::path& corpus, std::uint64_t seed);

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string model() const override { return "builtin"; }
  [[nodiscard]] bool can_repair() const override { return false; }
  /// None once a prompt came beyond the corpus.
  [[nodiscard]] int capacity(TimePoint now) const override;
  [[nodiscard]] std::int64_t reserve_nano_dollars(const Prompt&) const override { return 0; }
  /// Repairs are refused (configuration), so is what comes after the corpus (unavailable).
  void submit(RequestId id, Prompt prompt, TimePoint now) override;
  [[nodiscard]] std::vector<Answer> take_answers(TimePoint now) override;
  [[nodiscard]] std::optional<TimePoint> next_deadline() const override;

 private:
  std::vector<CorpusItem> corpus_;  // in the order of the replay
  std::string name_ = "builtin";
  bool replayed_ = false;
  std::vector<Answer> answers_;
};

/// The strategy whose default options belong to a replayed program: what stands in `reply.model`
/// ("builtin/corpus/dynamic-03"); empty for other providers' replies.
[[nodiscard]] std::string corpus_strategy(const Reply& reply);

}  // namespace parityd::agent
