// The model that is asked for changes of torch: one conversation, in the foreground. Blocks; one thread.
#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/cli/running/providers.h"
#include "agent/config.h"
#include "agent/llm/http.h"
#include "agent/llm/provider.h"
#include "agent/loop/event_loop.h"

namespace parityd::agent {

/// The providers to open: that of [fix], else those of [run], without builtin and bred. Empty: none asks a model.
[[nodiscard]] std::vector<std::string> fix_providers(const Config& config);

class FixModel {
 public:
  using Refuse = std::function<std::optional<std::string>(std::int64_t nano_dollars)>;

  /// Opens fix_providers(). The error says what is wrong with one, or how to name one.
  [[nodiscard]] static tl::expected<std::unique_ptr<FixModel>, std::string> open(const Config& config);

  /// What the request may cost at most, by the provider of this conversation: the first one that can answer and whose
  /// cost `refuse` accepts, then always the same. The error is the refusal, or says that none can answer.
  [[nodiscard]] tl::expected<std::int64_t, std::string> reserve(const std::vector<Message>& messages,
                                                                const Refuse& refuse);
  [[nodiscard]] std::string provider() const { return chosen_->name(); }  // REQUIRES: reserve() was called
  [[nodiscard]] std::string model() const { return chosen_->model(); }    // the same

  /// Asks and waits. `said`: as Prompt::said. A signal that ends the command ends the wait, with `cancelled` and the
  /// whole reserved cost: the request may be answered and billed. `told`: called with each notice of the provider.
  /// REQUIRES: reserve() was called with the same messages.
  [[nodiscard]] tl::expected<Reply, ReplyError> ask(const std::vector<Message>& messages, std::size_t said,
                                                    const std::function<void(const std::string&)>& told);

 private:
  FixModel() = default;

  HttpClient http_;
  EventLoop loop_{&http_};
  KeyRing ring_;
  OpenedProvider opened_;
  Provider* chosen_ = nullptr;
  std::int64_t reserved_ = 0;
  RequestId last_ = 0;
};

}  // namespace parityd::agent
