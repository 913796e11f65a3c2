#include "agent/daemon/supply/earnings.h"

#include <algorithm>
#include <utility>

#include "agent/llm/price.h"

namespace parityd::agent {
namespace {

/// Builtin's replies are nobody's prompt, and programs that somebody queued have no strategy.
bool was_chosen(const store::ReplyRow& reply) {
  return !reply.origin && (reply.purpose == store::ReplyPurpose::repair || !reply.strategy.empty());
}

}  // namespace

Earnings::Earnings(store::Store& store) : store_(store), choices_(store.arms.all()) {}

void Earnings::found(store::Id program, bool known) {
  Reward& reward = open_[program].reward;
  ++(known ? reward.known_findings : reward.findings);
}

void Earnings::finished(const store::ProgramRow& program, store::Millis wall) {
  auto taken = open_.extract(program.id);
  Open open = taken.empty() ? Open{} : taken.mapped();
  open.reward.valid = program.verdict && program.verdict->verdict != oracle::VerdictKind::invalid;
  const double points = open.reward.points();
  const double worked = dollars_of_worker_seconds(open.seconds);
  if (program.origin == store::Origin::mutant && program.parent) {
    return bred(program, points, worked, wall);
  }
  const auto reply = program.reply ? store_.replies.find(*program.reply) : std::nullopt;
  if (!reply || !was_chosen(*reply)) {
    return;
  }
  // A reading is paid once for all of its programs.
  const auto shared_by = static_cast<double>(std::max<std::int64_t>(1, store_.programs.count_of_reply(reply->id)));
  const double dollars = in_dollars(reply->cost_nano_dollars) / shared_by + worked;
  keep(reply->purpose == store::ReplyPurpose::repair
           ? choices_.repaired(program.strategy, class_repaired_by(*reply), points, dollars, program.round > 0)
           : choices_.generated(program.strategy, points, dollars),
       wall);
}

void Earnings::wasted(const store::ReplyRow& reply, store::Millis wall) {
  if (!was_chosen(reply)) {
    return;
  }
  keep(reply.purpose == store::ReplyPurpose::repair
           ? choices_.repaired(reply.strategy, class_repaired_by(reply), 0, in_dollars(reply.cost_nano_dollars))
           : choices_.generated(reply.strategy, 0, in_dollars(reply.cost_nano_dollars)),
       wall);
}

void Earnings::bred(const store::ProgramRow& mutant, double points, double dollars, store::Millis wall) {
  const auto parent = store_.programs.find(*mutant.parent);
  const ParentKind kind{.origin = parent->origin, .reached_new = store_.coverage.new_features(parent->id) > 0};
  if (std::ranges::find(parent_kinds(), kind) != parent_kinds().end()) {
    keep(choices_.bred(kind, points, dollars), wall);
  }
}

std::string Earnings::class_repaired_by(const store::ReplyRow& reply) const {
  return reply.program ? store_.repairs.class_of(*reply.program) : "";
}

void Earnings::keep(const std::vector<Arm>& arms, store::Millis wall) {
  for (const Arm& arm : arms) {
    store_.arms.set(arm, wall);
  }
}

}  // namespace parityd::agent
