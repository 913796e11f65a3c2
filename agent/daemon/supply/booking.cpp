#include "agent/daemon/supply/booking.h"

#include <fmt/format.h>

#include <span>

#include "agent/llm/builtin/builtin.h"

namespace parityd::agent {
namespace {

constexpr const char* kBetweenMessages = "\n\n";

/// The text of the prompt's new messages.
std::string text_of(const Prompt& prompt) {
  std::string text;
  for (const auto& message : std::span(prompt.messages).subspan(prompt.said)) {
    text += (text.empty() ? "" : kBetweenMessages) + message.text;
  }
  return text;
}

void settle(store::ReplyRow& row, const Reply& reply) {
  row.state = store::ReplyState::answered;
  row.text = reply.text;
  row.model = reply.model.empty() ? row.model : reply.model;
  row.finish = name(reply.finish);
  if (reply.from_corpus) {  // builtin: the corpus item's own strategy
    row.strategy = corpus_strategy(reply);
    row.origin = store::Origin::corpus;
  }
  row.prompt_tokens = reply.usage.prompt_tokens;
  row.cached_tokens = reply.usage.cached_tokens;
  row.cache_write_tokens = reply.usage.cache_write_tokens;
  row.completion_tokens = reply.usage.completion_tokens;
  row.reasoning_tokens = reply.usage.reasoning_tokens;
  row.usage_estimated = reply.usage.estimated;
  row.cost_nano_dollars = reply.cost_nano_dollars;
  row.latency_ms = reply.latency.count();
  row.attempts = reply.attempts;
}

void settle(store::ReplyRow& row, const ReplyError& error) {
  row.state = error.outcome_unknown ? store::ReplyState::unknown : store::ReplyState::failed;
  row.cost_nano_dollars = error.cost_nano_dollars;
  row.reserved_nano_dollars = error.outcome_unknown ? error.cost_nano_dollars : row.reserved_nano_dollars;
  row.error = fmt::format("{}: {}", name(error.kind), error.message);
  row.attempts = error.attempts;
}

}  // namespace

std::int64_t spent_since(const store::Store& store, store::Millis since) {
  return store.replies.spent_since(since) + store.fixes.nano_dollars_since(since);
}

Spent spent_of(const Caps& caps, const store::Store& store, store::Millis wall) {
  const auto since = [&](const std::optional<std::int64_t>& cap, store::Millis first) {
    return cap ? spent_since(store, first) : 0;
  };
  return {.hour = since(caps.hour, wall - store::kHour),
          .day = since(caps.day, wall - wall % store::kDay),
          .total = since(caps.total, 0)};
}

std::optional<std::string> refuse_fix(const Config& config, const store::Store& store, std::int64_t nano_dollars,
                                      store::Millis wall) {
  const Spent own{.hour = 0, .day = store.fixes.nano_dollars_since(wall - wall % store::kDay), .total = 0};
  if (auto refused = refuse_reservation(caps_of(config.fix), own, nano_dollars)) return refused;
  const Caps caps = caps_of(config);
  return refuse_reservation(caps, spent_of(caps, store, wall), nano_dollars);
}

std::vector<Message> messages_of(const std::vector<store::ReplyRow>& said, const std::string& system) {
  std::vector<Message> messages{{Message::Role::system, system}};
  const std::string contract = system + kBetweenMessages;
  for (const store::ReplyRow& row : said) {
    const bool first = row.prompt.starts_with(contract);
    messages.push_back({Message::Role::user, first ? row.prompt.substr(contract.size()) : row.prompt});
    messages.push_back({Message::Role::assistant, row.text});
  }
  return messages;
}

tl::expected<store::ReplyRow, std::string> book(const Config& config, store::Store& store, const Provider& provider,
                                                const Prompt& prompt, store::ReplyRow row, store::Millis wall) {
  row.provider = provider.name();
  row.model = provider.model();
  row.seed = prompt.seed;
  row.prompt = text_of(prompt);
  row.reserved_at = wall;
  row.reserved_nano_dollars = provider.reserve_nano_dollars(prompt);
  const Caps caps = caps_of(config);
  if (auto refused = refuse_reservation(caps, spent_of(caps, store, wall), row.reserved_nano_dollars)) {
    return tl::unexpected(*refused);
  }
  row.id = store.replies.reserve(row);
  return row;
}

store::ReplyRow settled(store::Store& store, store::ReplyRow row, const tl::expected<Reply, ReplyError>& reply,
                        store::Millis wall) {
  row.ended_at = wall;
  if (reply) {
    settle(row, *reply);
  } else {
    settle(row, reply.error());
  }
  store.replies.end(row);
  return row;
}

}  // namespace parityd::agent
