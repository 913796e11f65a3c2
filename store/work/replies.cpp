#include "store/work/replies.h"

#include <fmt/format.h>

#include "store/base/connection.h"

namespace parityd::store {
namespace {

constexpr const char* kSelectReply =
    "SELECT id, provider, model, strategy, purpose, program, state, processed, prompt, text, class, finish, origin, "
    "prompt_tokens, cached_tokens, cache_write_tokens, completion_tokens, reasoning_tokens, usage_estimated, "
    "reserved_nano_dollars, cost_nano_dollars, latency_ms, attempts, error, seed, reserved_at, ended_at FROM replies ";

std::string_view text_of(std::optional<Origin> origin) { return origin ? name(*origin) : std::string_view(); }

ReplyRow reply_from(Rows& rows) {
  ReplyRow row;
  row.state = ReplyState::unknown;
  std::int64_t seed = 0;
  rows.read(row.id, row.provider, row.model, row.strategy, row.purpose, row.program, row.state, row.processed,
            row.prompt, row.text, row.klass, row.finish, row.origin, row.prompt_tokens, row.cached_tokens,
            row.cache_write_tokens, row.completion_tokens, row.reasoning_tokens, row.usage_estimated,
            row.reserved_nano_dollars, row.cost_nano_dollars, row.latency_ms, row.attempts, row.error, seed,
            row.reserved_at, row.ended_at);
  row.seed = static_cast<std::uint64_t>(seed);
  return row;
}

std::vector<ReplyRow> replies_where(Connection& connection, const std::string& condition) {
  return connection.query("read replies", (kSelectReply + condition).c_str()).each(reply_from);
}

}  // namespace

Id Replies::reserve(const ReplyRow& row) {
  connection_.run(
      "book a request",
      "INSERT INTO replies (provider, model, strategy, purpose, program, state, processed, prompt, text, class, "
      "finish, origin, prompt_tokens, cached_tokens, completion_tokens, reserved_nano_dollars, cost_nano_dollars, "
      "latency_ms, attempts, error, seed, reserved_at, ended_at) VALUES (?, ?, ?, ?, ?, 'reserved', 0, ?, '', '', '', "
      "?, 0, 0, 0, ?, 0, 0, 0, '', ?, ?, 0)",
      row.provider, row.model, row.strategy, row.purpose, row.program, row.prompt, text_of(row.origin),
      row.reserved_nano_dollars, static_cast<std::int64_t>(row.seed), row.reserved_at);
  return connection_.last_id();
}

void Replies::end(const ReplyRow& row) {
  connection_.run("save a reply",
                  "UPDATE replies SET state = ?, model = ?, text = ?, class = ?, finish = ?, origin = ?, "
                  "prompt_tokens = ?, cached_tokens = ?, cache_write_tokens = ?, completion_tokens = ?, "
                  "reasoning_tokens = ?, usage_estimated = ?, reserved_nano_dollars = ?, cost_nano_dollars = ?, "
                  "latency_ms = ?, attempts = ?, error = ?, ended_at = ? WHERE id = ?",
                  row.state, row.model, row.text, row.klass, row.finish, text_of(row.origin), row.prompt_tokens,
                  row.cached_tokens, row.cache_write_tokens, row.completion_tokens, row.reasoning_tokens,
                  row.usage_estimated, row.reserved_nano_dollars, row.cost_nano_dollars, row.latency_ms, row.attempts,
                  row.error, row.ended_at, row.id);
}

void Replies::mark_processed(Id reply, const std::string& klass) {
  connection_.run("mark a reply", "UPDATE replies SET processed = 1, class = ? WHERE id = ?", klass, reply);
}

std::vector<ReplyRow> Replies::unprocessed() const {
  return replies_where(connection_, "WHERE state = 'answered' AND processed = 0 ORDER BY id");
}

std::vector<ReplyRow> Replies::abandon_reserved(Millis now) {
  std::vector<ReplyRow> abandoned;
  connection_.transaction([&] {
    abandoned = replies_where(connection_, "WHERE state = 'reserved' ORDER BY id");
    for (ReplyRow& row : abandoned) {
      row.state = ReplyState::unknown;
      row.cost_nano_dollars = row.reserved_nano_dollars;
      row.ended_at = now;
      row.error = "parityd ended while it was in flight";
      end(row);
    }
  });
  return abandoned;
}

std::int64_t Replies::spent_since(Millis since) const {
  constexpr Millis kMinute = 60'000;
  const Millis first_whole_minute = since <= 0 ? 0 : (since + kMinute - 1) / kMinute;
  return connection_
      .query("add up the spending",
             "SELECT (SELECT coalesce(sum(charged_nano_dollars), 0) FROM spending WHERE minute >= ?1) + "
             "(SELECT coalesce(sum(charged_nano_dollars), 0) FROM replies "
             "WHERE reserved_at >= ?2 AND reserved_at < ?1 * 60000)",
             first_whole_minute, since)
      .value<std::int64_t>();
}

std::vector<ReplyRow> Replies::before(Id before, int limit) const {
  return replies_where(connection_, fmt::format("WHERE id < {} ORDER BY id DESC LIMIT {}", before, limit));
}

std::optional<ReplyRow> Replies::find(Id id) const {
  return connection_.query("read a reply", (std::string(kSelectReply) + "WHERE id = ?").c_str(), id).first(reply_from);
}

std::vector<ReplyClassCount> Replies::classes_since(Millis since) const {
  return connection_
      .query("count classes of replies",
             "SELECT purpose, class, count(*) FROM replies WHERE reserved_at >= ? AND state = "
             "'answered' AND processed = 1 GROUP BY purpose, class ORDER BY purpose, 3 DESC, class",
             since)
      .all<ReplyClassCount>(&ReplyClassCount::purpose, &ReplyClassCount::klass, &ReplyClassCount::replies);
}

void Repairs::add(Id program, const std::string& error_class, int round, RepairResult result, Millis at) {
  connection_.run("note a repair",
                  "INSERT INTO repairs (program, class, round, result, at) VALUES (?, ?, ?, ?, ?) "
                  "ON CONFLICT (program) DO UPDATE SET class = excluded.class, result = excluded.result",
                  program, error_class, round, result, at);
}

void Repairs::end(Id program, RepairResult result) {
  connection_.run("end a repair", "UPDATE repairs SET result = ? WHERE program = ?", result, program);
}

std::string Repairs::class_of(Id program) const {
  return connection_.query("read a repair", "SELECT class FROM repairs WHERE program = ?", program)
      .value<std::string>();
}

std::vector<RepairYield> Repairs::yield_since(Millis since) const {
  return connection_
      .query("add up repairs",
             "SELECT class, round, sum(result <> 'declined'), sum(result = 'program'), sum(valid), "
             "sum(same_error), sum(result = 'lost_operators'), sum(result = 'declined') "
             "FROM v_repairs WHERE program IN (SELECT program FROM repairs WHERE at >= ?) GROUP BY "
             "class, round ORDER BY class, round",
             since)
      .all<RepairYield>(&RepairYield::error_class, &RepairYield::round, &RepairYield::asked, &RepairYield::programs,
                        &RepairYield::valid, &RepairYield::same_error, &RepairYield::lost_operators,
                        &RepairYield::declined);
}

}  // namespace parityd::store
