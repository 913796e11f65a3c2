#include "agent/cli/fixing/fix_session.h"

#include <fmt/format.h>

#include <utility>

#include "agent/daemon/loop/wall_clock.h"
#include "agent/daemon/supply/booking.h"
#include "agent/fixing/fix_prompt.h"
#include "agent/fixing/shown_source.h"

namespace parityd::agent {
namespace {

using store::FixResult;

void charge(const Reply& reply, store::FixTry& row) {
  row.model = reply.model.empty() ? row.model : reply.model;
  row.prompt_tokens += reply.usage.prompt_tokens;
  row.completion_tokens += reply.usage.completion_tokens;
  row.nano_dollars += reply.cost_nano_dollars;
}

/// As Prompt::said: all but the last message, once there is a reply.
std::size_t said_of(const std::vector<Message>& messages) {
  constexpr std::size_t kFirstRequest = 2;  // system and user
  return messages.size() > kFirstRequest ? messages.size() - 1 : 0;
}

JudgedReply not_answered(JudgedReply asked, std::string why) {
  asked.row.result = FixResult::no_answer;
  asked.row.why = std::move(why);
  return asked;
}

/// Why a reply holds no change that can be read; empty: it may hold one.
std::string unanswered(const Reply& reply) {
  if (reply.finish == Finish::refusal || reply.finish == Finish::filter) {
    return fmt::format("the provider ended the reply: {}", name(reply.finish));
  }
  if (!reply.text.empty()) return "";
  return reply.finish == Finish::length ? "the model used all of fix.max_output_tokens and wrote nothing"
                                        : "the reply is empty";
}

}  // namespace

tl::expected<std::int64_t, std::string> FixSession::book(const std::vector<Message>& messages, store::FixTry& row) {
  const auto refuse = [&](std::int64_t nano_dollars) {
    return refuse_fix(about_.config, about_.store, nano_dollars, wall_clock());
  };
  auto reserved = model_.reserve(messages, refuse);
  if (!reserved) return reserved;
  row.provider = model_.provider();
  row.model = model_.model();
  row.nano_dollars += *reserved;
  keep_(row);
  about_.progress(
      fmt::format("asking {} ({}), at most ${:.4f}", row.provider, row.model, static_cast<double>(*reserved) / 1e9));
  return reserved;
}

JudgedReply FixSession::judge_answer(JudgedReply asked, const Reply& reply) {
  const auto why = unanswered(reply);
  if (!why.empty()) return not_answered(std::move(asked), why);
  asked.row.reply = reply.text;
  keep_(asked.row);
  about_.progress("an answer is there; checking its change");
  return judge_reply(about_, std::move(asked.row));
}

tl::expected<JudgedReply, std::string> FixSession::one_try(std::vector<Message>& messages) {
  JudgedReply asked{.row = next_try(about_), .report = {}, .failure = {}};
  for (int readings = 0;; ++readings) {
    const auto reserved = book(messages, asked.row);
    if (!reserved && readings == 0) return tl::unexpected(reserved.error());
    if (!reserved) {
      asked = not_answered(std::move(asked), reserved.error());
      break;
    }
    const auto reply = model_.ask(messages, said_of(messages), about_.progress);
    if (!reply && reply.error().kind == ReplyErrorKind::cancelled) return asked;  // it stays charged as it was kept
    asked.row.nano_dollars -= *reserved;
    if (!reply) {
      asked.row.nano_dollars += reply.error().cost_nano_dollars;
      asked = not_answered(std::move(asked), fmt::format("{}: {}", name(reply.error().kind), reply.error().message));
      break;
    }
    charge(*reply, asked.row);
    const auto requests = readings < kMostReadings ? source_requests(reply->text) : std::vector<SourceRequest>();
    if (requests.empty()) {
      asked = judge_answer(std::move(asked), *reply);
      break;
    }
    keep_(asked.row);
    about_.progress(fmt::format("it asks to see source: {} requests", requests.size()));
    messages.push_back({Message::Role::assistant, reply->text});
    messages.push_back({Message::Role::user, shown_source(requests, about_.worker.torch_folder)});
  }
  keep_(asked.row);
  return asked;
}

/// Answered and paid, but cut off before its result.
std::optional<store::FixTry> FixSession::left_over() const {
  const auto before = about_.store.fixes.of(about_.finding.id);
  if (before.empty()) return std::nullopt;
  const auto& last = before.back();
  const bool here = last.torch == about_.worker.torch && last.device == about_.finding.device;
  return here && last.result == FixResult::asked && !last.reply.empty() ? std::optional(last) : std::nullopt;
}

tl::expected<JudgedReply, std::string> FixSession::first_try(std::vector<Message>& messages) {
  auto left = left_over();
  if (!left) return one_try(messages);
  about_.progress(fmt::format("try {} was answered but not judged; checking its change", left->number));
  auto judged = judge_reply(about_, std::move(*left));
  keep_(judged.row);
  return judged;
}

tl::expected<JudgedReply, std::string> FixSession::run(std::vector<Message> messages) {
  auto judged = first_try(messages);
  for (int tries = 1; tries < kMostTries && judged && !judged->failure.empty(); ++tries) {
    about_.progress(fmt::format("{}: {}\nasking once more", name(judged->row.result), judged->row.why));
    messages.push_back({Message::Role::assistant, judged->row.reply});
    messages.push_back({Message::Role::user, fix_again(judged->failure)});
    auto again = one_try(messages);
    if (!again) {
      about_.progress("no second try: " + again.error());
      break;
    }
    judged = std::move(again);
  }
  return judged;
}

}  // namespace parityd::agent
