// Booking: each request to a provider is written down with what it may cost before it is sent, and settled by what came
// back. Called inside the loop's transaction.
#pragma once

#include <tl/expected.hpp>

#include <string>
#include <vector>

#include "agent/config.h"
#include "agent/llm/provider.h"
#include "store/store.h"

namespace parityd::agent {

/// The row of a request that may be sent once it is committed; `row` says what it is for. The error: why the budget
/// refuses it, in words.
[[nodiscard]] tl::expected<store::ReplyRow, std::string> book(const Config& config, store::Store& store,
                                                              const Provider& provider, const Prompt& prompt,
                                                              store::ReplyRow row, store::Millis wall);

/// What was said in a conversation so far, as messages: the contract (`system`), then each request and its reply.
[[nodiscard]] std::vector<Message> messages_of(const std::vector<store::ReplyRow>& said, const std::string& system);

/// The row with what came back, as stored.
[[nodiscard]] store::ReplyRow settled(store::Store& store, store::ReplyRow row,
                                      const tl::expected<Reply, ReplyError>& reply, store::Millis wall);

}  // namespace parityd::agent
