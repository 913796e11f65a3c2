// The daemon's ways in: replies and programs.
#include <fmt/format.h>

#include "agent/daemon/daemon.h"
#include "prompts/error_class.h"

namespace parityd::agent {
namespace {

/// Replies in a row that gave no new program before the provider is given up on: it would only cost money.
constexpr int kUselessReplies = 30;

using store::EventKind;

}  // namespace

void Daemon::take_answers() {
  parts_.service.ticked(Service::Part::provider);
  if (!generation_) {
    return;
  }
  for (auto& answered : generation_->take(now_, wall_, outbox_)) {
    reach(KillPoint::received);
    take_answer(std::move(answered));
  }
  for (const auto& notice : parts_.provider->take_notices()) {
    if (notice.over) {
      alarms_.over(notice.kind, notice.provider);
    } else {
      alarms_.raise(notice.kind, notice.text, notice.provider);
    }
  }
  if (const auto why = parts_.provider->stopped(); why && problem_.empty()) {
    problem_ = *why;
    if (!options_.programs) {
      say("no_provider",
          "nobody is left to ask; parityd goes on with what it has. Once the cause is mended, a reload (`kill -HUP`, "
          "`systemctl reload`) lets providers try again");
    }
  }
}

void Daemon::count_useless_reply(const std::string& provider) {
  const int useless = ++replies_without_program_[provider];
  if (useless == kUselessReplies) {
    parts_.provider->stop(provider, fmt::format("{} replies in a row held no new program", useless));
  }
}

void Daemon::take_answer(Answered answered) {
  const auto& row = answered.row;
  session_.replies += 1;
  session_.prompt_tokens += row.prompt_tokens;
  session_.completion_tokens += row.completion_tokens;
  session_.spent_nano_dollars += row.cost_nano_dollars;
  const bool came = row.state == store::ReplyState::answered;
  parts_.store.alarms.note_outgoing("provider " + row.provider,
                                    came                ? ""
                                    : row.error.empty() ? "no answer"
                                                        : row.error,
                                    wall_);
  if (came) {
    supply_.answered(static_cast<double>(row.latency_ms) / 1000);
  }
  std::optional<store::ProgramRow> parent = row.program ? parts_.store.programs.find(*row.program) : std::nullopt;
  if (!answered.arrivals.empty()) {
    open_replies_[row.id] = {.left = static_cast<int>(answered.arrivals.size())};
  }
  for (Arrival& arrival : answered.arrivals) {
    if (parent) {
      arrival.origin = "repair";
      arrival.parent = parent->id;
      arrival.root = parent->root;
      arrival.round = parent->round + 1;
      arrival.default_options = parent->options_json;
      arrival.repaired_from = parent->text;
      repairs_answered_.insert(parent->id);
    }
    intake_.take(std::move(arrival));
  }
  if (!answered.arrivals.empty()) {
    return;
  }
  if (answered.trimmed) {
    return alarms_.raise(EventKind::prompt_trimmed, fmt::format("provider {}: {}", row.provider, row.error),
                         row.provider);
  }
  earnings_.wasted(row, wall_);
  supply_.yielded(false);
  if (answered.rests) {
    alarms_.raise(EventKind::strategy_rests, fmt::format("{}, provider {}: {}", row.strategy, row.provider, row.error),
                  row.strategy);
  }
  const bool failed = row.state != store::ReplyState::answered;
  session_.failed_replies += failed ? 1 : 0;
  if (!failed) {
    parts_.store.replies.mark_processed(row.id, row.klass);
    if (row.klass == kNothingLeft) return;
    count_useless_reply(row.provider);
  }
  alarms_.raise(failed ? EventKind::reply_failed : EventKind::reply_unusable,
                fmt::format("provider {}: {}", row.provider, failed ? row.error : row.klass), row.provider);
  if (parent && answered.again && repairs_retried_.insert(parent->id).second) {
    repairs_.push_back(std::move(*parent));
  } else if (parent) {
    parts_.store.repairs.end(parent->id, failed ? store::RepairResult::failed : store::RepairResult::no_program);
    step(std::move(*parent), RepairImpossible{failed ? "the repair's request failed: " + row.error
                                                     : "the repair's reply held no program: " + row.klass});
  }
}

void Daemon::take_programs() {
  for (auto& taken : intake_.finished()) {
    reach(KillPoint::validated);
    add_program(std::move(taken));
  }
}

/// A repair that lost what was to be tested counts as a new program, not as its parent's success.
void Daemon::disown(Taken& taken) {
  auto& arrival = taken.arrival;
  const auto invalid = arrival.parent;
  if (!invalid || arrival.round == 0 || !taken.syntax_error.empty()) {
    return;
  }
  const auto blamed = prompts::error_class_from_name(parts_.store.repairs.class_of(*invalid));
  if (keeps_operators(taken.operators, blamed && prompts::blames_operator(*blamed))) {
    return;
  }
  parts_.store.repairs.end(*invalid, store::RepairResult::lost_operators);
  arrival.origin = "reply";
  arrival.parent.reset();
  arrival.root = 0;
  arrival.round = 0;
  step(*parts_.store.programs.find(*invalid),
       RepairImpossible{fmt::format("the repair lost {}: it counts as a new program",
                                    fmt::join(lost_operators(taken.operators), ", "))});
}

/// One of a reply's programs is taken in, or cannot be. The reply is done with the last of them.
void Daemon::close_reply(const Arrival& arrival, std::optional<store::Id> program, const std::string& klass) {
  if (program && arrival.hypothesis > 0) {
    parts_.store.hypotheses.put(*arrival.reply, arrival.hypothesis, "", program);
  }
  OpenReply& open = open_replies_[*arrival.reply];
  open.taken += program ? 1 : 0;
  if (--open.left > 0) {
    return;
  }
  const bool useful = open.taken > 0;
  open_replies_.erase(*arrival.reply);
  supply_.yielded(useful);
  parts_.store.replies.mark_processed(*arrival.reply, useful ? "program" : klass);
  if (useful) {
    replies_without_program_.erase(arrival.provider);
  } else {
    earnings_.wasted(parts_.store.replies.find(*arrival.reply).value(), wall_);
    count_useless_reply(arrival.provider);
  }
}

void Daemon::add_program(Taken taken) {
  disown(taken);
  const auto& arrival = taken.arrival;
  std::string klass = "program";
  std::optional<store::Id> id;
  if (!taken.syntax_error.empty()) {
    klass = "syntax_error";
    note("syntax_error", fmt::format("{}{}", arrival.source.empty() ? "" : arrival.source + ": ", taken.syntax_error));
  } else {
    store::ProgramRow row{.identity = taken.program.identity,
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
                          .created_at = wall_};
    id = parts_.store.programs.add(row);
    if (id) {
      queued_.push_back(*parts_.store.programs.find(*id));
      reach(KillPoint::queued);
    } else {
      klass = "duplicate";
      if (arrival.reply) {
        alarms_.raise(EventKind::reply_repeated, fmt::format("provider {}", arrival.provider), arrival.provider);
      }
    }
  }
  if (arrival.request) {
    parts_.store.requests.end(*arrival.request, "taken", wall_);
    importing_.erase(*arrival.request);
  }
  if (arrival.reply) {
    close_reply(arrival, id, klass);
  }
  if (arrival.parent && arrival.round > 0) {
    auto parent = parts_.store.programs.find(*arrival.parent);
    parts_.store.repairs.end(parent->id, id                     ? store::RepairResult::program
                                         : klass == "duplicate" ? store::RepairResult::duplicate
                                                                : store::RepairResult::no_program);
    step(std::move(*parent), id ? Event(Repaired{})
                                : Event(RepairImpossible{klass == "duplicate" ? "the repair is a program known already"
                                                                              : taken.syntax_error}));
  }
}

}  // namespace parityd::agent
