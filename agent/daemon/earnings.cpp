#include "agent/daemon/earnings.h"

#include <utility>

namespace parityd::agent {
namespace {

double dollars_of(const store::ReplyRow& reply) { return static_cast<double>(reply.cost_nano_dollars) / 1e9; }

}  // namespace

std::string arm_of(const std::string& strategy) { return "strategy/" + strategy; }

Earnings::Earnings(store::Store& store) : store_(store), scheduler_(store.arms()) {}

void Earnings::found(store::Id program, bool known) {
  Reward& reward = open_[program].reward;
  ++(known ? reward.known_findings : reward.findings);
}

void Earnings::finished(const store::ProgramRow& program, store::Millis wall) {
  auto taken = open_.extract(program.id);
  Open open = taken.empty() ? Open{} : std::move(taken.mapped());
  const auto reply = program.reply ? store_.reply(*program.reply) : std::nullopt;
  if (!reply || !reply->origin.empty() || program.strategy.empty()) {
    return;  // imported or bred, or replayed from the corpus
  }
  open.reward.valid = program.verdict && program.verdict->verdict != oracle::VerdictKind::invalid;
  observe(program.strategy, open.reward.points(), dollars_of(*reply) + dollars_of_worker_seconds(open.seconds), wall);
}

void Earnings::wasted(const store::ReplyRow& reply, store::Millis wall) {
  if (reply.origin.empty() && !reply.strategy.empty()) {
    observe(reply.strategy, 0, dollars_of(reply), wall);
  }
}

void Earnings::observe(const std::string& strategy, double points, double dollars, store::Millis wall) {
  store_.set_arm(scheduler_.observe(arm_of(strategy), points, dollars), wall);
}

}  // namespace parityd::agent
