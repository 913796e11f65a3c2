#include "agent/daemon/arrivals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "prompts/error_class.h"

namespace parityd::agent {
namespace {

using store::EventKind;

/// Consecutive replies without a new program before parityd gives up on the provider: more would only cost money.
constexpr int kUselessReplies = 30;

}  // namespace

void Arrivals::resume() {
  const auto& store = shop_.turn.store;
  auto& repairs = programs_.repairs();
  for (const auto& row : shop_.turn.store.replies.abandon_reserved(shop_.turn.wall)) {
    shop_.turn.alarms.raise(EventKind::reply_unknown, fmt::format("request {} to {}", row.id, row.provider));
    if (row.program && store.programs.find(*row.program)) repairs.push_back(*row.program);
  }
  if (Generation* const generation = sourcing_.generation()) {
    for (const auto& row : store.replies.unprocessed()) on_answer(generation->reread(row));
  }
  for (const auto& program : store.programs.in_state(store::ProgramState::repairing, 100'000)) {
    if (std::ranges::find(repairs, program.id) == repairs.end() && !repairs_answered_.contains(program.id)) {
      repairs.push_back(program.id);
    }
  }
  for (const store::Id program : repairs) programs_.task(program).where = ProgramTask::Where::awaiting_repair;
}

void Arrivals::reload() {
  problem_.clear();
  replies_without_program_.clear();
}

void Arrivals::import(Arrival arrival) {
  importing_.insert(arrival.request.value());
  shop_.intake.accept(std::move(arrival));
}

void Arrivals::receive() {
  if (sourcing_.provider() != nullptr) take_answers();
  for (auto& taken : shop_.intake.finished()) {
    shop_.turn.reach(KillPoint::validated);
    add(std::move(taken));
  }
}

void Arrivals::take_answers() {
  Turn& turn = shop_.turn;
  Provider& provider = *sourcing_.provider();
  for (auto& answered : sourcing_.generation()->drain_answers(turn.now, turn.wall, turn.outbox)) {
    turn.reach(KillPoint::received);
    on_answer(std::move(answered));
  }
  for (const auto& notice : provider.take_notices()) {
    if (notice.over) {
      turn.alarms.over(notice.kind, notice.provider);
    } else {
      turn.alarms.raise(notice.kind, notice.text, notice.provider);
    }
  }
  if (const auto why = provider.stopped(); why && problem_.empty()) {
    problem_ = *why;
    if (!turn.options.programs) {
      turn.say("no_provider",
               "no provider is left; parityd continues with the programs it has. Fix the cause, then reload (`kill "
               "-HUP`, `systemctl reload`) to try again");
    }
  }
}

void Arrivals::count_useless(const std::string& provider) {
  if (++replies_without_program_[provider] == kUselessReplies) {
    sourcing_.provider()->stop(provider, fmt::format("{} replies in a row contained no new program", kUselessReplies));
  }
}

void Arrivals::count(const store::ReplyRow& row) {
  auto& session = shop_.turn.session;
  session.replies += 1;
  session.prompt_tokens += row.prompt_tokens;
  session.completion_tokens += row.completion_tokens;
  session.spent_nano_dollars += row.cost_nano_dollars;
  const bool came = row.state == store::ReplyState::answered;
  const std::string error = row.error.empty() ? "no answer" : row.error;
  shop_.turn.store.alarms.note_outgoing("provider " + row.provider, came ? "" : error, shop_.turn.wall);
  if (came) shop_.supply.answered(static_cast<double>(row.latency_ms) / 1000);
}

void Arrivals::on_answer(Answered answered) {
  const auto& row = answered.row;
  count(row);
  if (answered.arrivals.empty()) return take_useless(answered);
  const auto parent = row.program ? shop_.turn.store.programs.find(*row.program) : std::nullopt;
  open_replies_[row.id] = {.left = static_cast<int>(answered.arrivals.size())};
  for (Arrival& arrival : answered.arrivals) {
    if (parent) {
      arrival.origin = store::Origin::repair;
      arrival.parent = parent->id;
      arrival.root = parent->root;
      arrival.round = parent->round + 1;
      arrival.default_options = parent->options_json;
      arrival.repaired_from = parent->text;
      repairs_answered_.insert(parent->id);
    }
    shop_.intake.accept(std::move(arrival));
  }
}

/// Handles a reply without a program.
void Arrivals::take_useless(const Answered& answered) {
  const auto& row = answered.row;
  Turn& turn = shop_.turn;
  if (answered.trimmed) {
    return turn.alarms.raise(EventKind::prompt_trimmed, fmt::format("provider {}: {}", row.provider, row.error),
                             row.provider);
  }
  shop_.earnings.wasted(row, turn.wall);
  shop_.supply.yielded(false);
  if (answered.rests) {
    turn.alarms.raise(EventKind::strategy_rests,
                      fmt::format("{}, provider {}: {}", row.strategy, row.provider, row.error), row.strategy);
  }
  const bool failed = row.state != store::ReplyState::answered;
  turn.session.failed_replies += failed ? 1 : 0;
  if (!failed) {
    turn.store.replies.mark_processed(row.id, row.klass);
    if (row.klass == kNothingLeft) return;
    count_useless(row.provider);
  }
  turn.alarms.raise(failed ? EventKind::reply_failed : EventKind::reply_unusable,
                    fmt::format("provider {}: {}", row.provider, failed ? row.error : row.klass), row.provider);
  if (!row.program || !turn.store.programs.find(*row.program)) return;
  const store::Id parent = *row.program;
  if (answered.again && repairs_retried_.insert(parent).second) {
    programs_.repairs().push_back(parent);
    return;
  }
  turn.store.repairs.end(parent, failed ? store::RepairResult::failed : store::RepairResult::no_program);
  programs_.step(programs_.task(parent),
                 RepairImpossible{failed ? "the repair's request failed: " + row.error
                                         : "the repair's reply contained no program: " + row.klass});
}

/// A repair that no longer tests the same thing counts as a new program, not as a success of its parent.
void Arrivals::disown(Taken& taken) {
  auto& arrival = taken.arrival;
  const auto invalid = arrival.parent;
  if (!invalid || arrival.round == 0 || !taken.syntax_error.empty()) return;
  auto& repairs = shop_.turn.store.repairs;
  const auto blamed = prompts::error_class_from_name(repairs.class_of(*invalid));
  if (keeps_operators(taken.operators, blamed && prompts::blames_operator(*blamed))) return;
  repairs.end(*invalid, store::RepairResult::lost_operators);
  arrival.origin = store::Origin::reply;
  arrival.parent.reset();
  arrival.root = 0;
  arrival.round = 0;
  programs_.step(programs_.task(*invalid),
                 RepairImpossible{fmt::format("the repair lost {}, so it counts as a new program",
                                              fmt::join(lost_operators(taken.operators), ", "))});
}

/// Called when one of a reply's programs was added or rejected. The last of them completes the reply.
void Arrivals::close_reply(const Arrival& arrival, std::optional<store::Id> program, const std::string& klass) {
  auto& store = shop_.turn.store;
  if (program && arrival.hypothesis > 0) store.hypotheses.put(*arrival.reply, arrival.hypothesis, "", program);
  OpenReply& open = open_replies_[*arrival.reply];
  open.taken += program ? 1 : 0;
  if (--open.left > 0) return;
  const bool useful = open.taken > 0;
  open_replies_.erase(*arrival.reply);
  shop_.supply.yielded(useful);
  store.replies.mark_processed(*arrival.reply, useful ? "program" : klass);
  if (useful) {
    replies_without_program_.erase(arrival.provider);
  } else {
    shop_.earnings.wasted(store.replies.find(*arrival.reply).value(), shop_.turn.wall);
    count_useless(arrival.provider);
  }
}

std::optional<store::Id> Arrivals::add_row(const Taken& taken, std::string& klass) {
  Turn& turn = shop_.turn;
  const auto& arrival = taken.arrival;
  if (!taken.syntax_error.empty()) {
    klass = "syntax_error";
    turn.note("syntax_error",
              fmt::format("{}{}", arrival.source.empty() ? "" : arrival.source + ": ", taken.syntax_error));
    return std::nullopt;
  }
  const auto id =
      turn.store.programs.add({.identity = taken.program.identity,
                               .text = taken.program.text,
                               .origin = arrival.origin,
                               .source = arrival.source,
                               .strategy = arrival.strategy,
                               .reply = arrival.reply,
                               .parent = arrival.parent,
                               .root = arrival.root,
                               .round = arrival.round,
                               .next_step = "screen",
                               .why = "new",
                               .options_json = taken.program.options_text.empty() ? "{}" : taken.program.options_text,
                               .created_at = turn.wall});
  if (id) {
    programs_.queue(turn.store.programs.find(*id).value());
    turn.reach(KillPoint::queued);
    return id;
  }
  klass = "duplicate";
  if (arrival.reply) {
    turn.alarms.raise(EventKind::reply_repeated, fmt::format("provider {}", arrival.provider), arrival.provider);
  }
  return std::nullopt;
}

void Arrivals::add(Taken taken) {
  disown(taken);
  const auto& arrival = taken.arrival;
  std::string klass = "program";
  const auto id = add_row(taken, klass);
  if (arrival.request) {
    shop_.turn.store.requests.end(*arrival.request, "taken", shop_.turn.wall);
    importing_.erase(*arrival.request);
  }
  if (arrival.reply) close_reply(arrival, id, klass);
  if (arrival.parent && arrival.round > 0) end_repair(taken, id, klass);
}

void Arrivals::end_repair(const Taken& taken, std::optional<store::Id> program, const std::string& klass) {
  const store::Id parent = taken.arrival.parent.value();
  const bool known = klass == "duplicate";
  shop_.turn.store.repairs.end(parent, program ? store::RepairResult::program
                                       : known ? store::RepairResult::duplicate
                                               : store::RepairResult::no_program);
  programs_.step(
      programs_.task(parent),
      program ? Event(Repaired{})
              : Event(RepairImpossible{known ? "the repair is a program that is already known" : taken.syntax_error}));
}

}  // namespace parityd::agent
