// Booking: reserves the maximum cost of each request to a provider before it is sent, and settles it with the answer.
// One thread; called inside the loop's transaction.
#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/config.h"
#include "agent/llm/budget.h"
#include "agent/llm/provider.h"
#include "store/store.h"

namespace parityd::agent {

/// The row of a request that may be sent once it is committed; `row` describes its purpose. The error: why the budget
/// refuses it, as text.
[[nodiscard]] tl::expected<store::ReplyRow, std::string> book(const Config& config, store::Store& store,
                                                              const Provider& provider, const Prompt& prompt,
                                                              store::ReplyRow row, store::Millis wall);

/// Nano-dollars charged or reserved since then for all requests to models, changes of torch included.
[[nodiscard]] std::int64_t spent_since(const store::Store& store, store::Millis since);
/// The same by the periods of a budget; 0 for those without a cap.
[[nodiscard]] Spent spent_of(const Caps& caps, const store::Store& store, store::Millis wall);

/// Why a request for a change of torch may not cost that much now: the cap of [fix], then those of [budget].
[[nodiscard]] std::optional<std::string> refuse_fix(const Config& config, const store::Store& store,
                                                    std::int64_t nano_dollars, store::Millis wall);

/// A conversation so far as messages: the contract (`system`), then each request and its reply.
[[nodiscard]] std::vector<Message> messages_of(const std::vector<store::ReplyRow>& said, const std::string& system);

/// The row with the answer, as stored.
[[nodiscard]] store::ReplyRow settled(store::Store& store, store::ReplyRow row,
                                      const tl::expected<Reply, ReplyError>& reply, store::Millis wall);

}  // namespace parityd::agent
