#include "agent/daemon/supply/earnings.h"

#include <algorithm>

#include "agent/llm/price.h"

namespace parityd::agent {
namespace {

/// Builtin's replies answer no prompt, and queued programs have no strategy.
bool was_chosen(const store::ReplyRow& reply) { return !reply.origin && !reply.strategy.empty(); }

}  // namespace

Earnings::Earnings(store::Store& store) : store_(store), strategies_(strategy_arms(store.arms.all())) {}

void Earnings::found(store::Id program, bool known) {
  Reward& reward = open_[program].reward;
  ++(known ? reward.known_findings : reward.findings);
}

void Earnings::finished(const store::ProgramRow& program, store::Millis wall) {
  auto taken = open_.extract(program.id);
  Open open = taken.empty() ? Open{} : taken.mapped();
  const auto reply = program.reply ? store_.replies.find(*program.reply) : std::nullopt;
  if (!reply || !was_chosen(*reply)) return;
  open.reward.valid = program.verdict && program.verdict->verdict != oracle::VerdictKind::invalid;
  // A reading is paid for once for all of its programs.
  const auto shared_by = static_cast<double>(std::max<std::int64_t>(1, store_.programs.count_of_reply(reply->id)));
  const double dollars = in_dollars(reply->cost_nano_dollars) / shared_by + dollars_of_worker_seconds(open.seconds);
  tell(*reply, open.reward.points(), dollars, wall);
}

void Earnings::wasted(const store::ReplyRow& reply, store::Millis wall) {
  if (was_chosen(reply)) tell(reply, 0, in_dollars(reply.cost_nano_dollars), wall);
}

/// A repair's reward and cost count for the strategy whose program needed it.
void Earnings::tell(const store::ReplyRow& reply, double points, double dollars, store::Millis wall) {
  const std::string arm = arm_of_strategy(reply.strategy);
  const bool repair = reply.purpose == store::ReplyPurpose::repair;
  store_.arms.set(repair ? strategies_.add(arm, points, dollars) : strategies_.observe(arm, points, dollars), wall);
}

}  // namespace parityd::agent
