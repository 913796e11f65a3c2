#include "agent/daemon/queue.h"

#include <algorithm>

#include "executor/pool/pool.h"

namespace parityd::agent {
namespace {

/// Rows read per refill.
constexpr int kRefill = 256;

}  // namespace

bool Queue::is_counted_first(store::Id program) const {
  return programs_.is_counted_first(programs_.task(program).row);
}

void Queue::refill() {
  for (auto& program : shop_.turn.store.programs.in_state(store::ProgramState::queued, kRefill)) {
    if (programs_.find(program.id) == nullptr && !shop_.pressure.waits(program.id, shop_.turn.now)) {
      programs_.queue(std::move(program));
    }
  }
}

void Queue::start_programs(bool first_wait) {
  given_.assign(shop_.turn.pool.groups(), 0);
  auto& queued = programs_.queued();
  if (queued.empty()) refill();
  for (std::size_t looked_at = queued.size(); looked_at > 0; --looked_at) {
    const store::Id program = queued.front();
    queued.pop_front();
    const bool counted = is_counted_first(program);
    if (counted && (first_wait || !shop_.turn.may_take_program())) {
      queued.push_back(program);  // repairs behind it may still run
      continue;
    }
    const auto group = place();
    if (!group) {
      queued.push_front(program);
      return;
    }
    ProgramTask& task = programs_.task(program);
    task.group = *group;
    shop_.turn.session.programs += counted ? 1 : 0;
    programs_.step(task, Begin{});
  }
}

/// How many more programs may start there now.
int Queue::allowed_more(executor::GroupIndex group) const {
  const int places = shop_.turn.pool.config(group).warm_workers;
  const int free = shop_.turn.pool.free_warm(group);
  return std::min(free, shop_.pressure.allowed(group, places, shop_.turn.now) - (places - free));
}

std::optional<executor::GroupIndex> Queue::place() {
  std::vector<Placement::Group> groups;
  for (executor::GroupIndex group = 0; group < shop_.turn.pool.groups(); ++group) {
    groups.push_back({.share = group < shares_.size() ? shares_[group] : 1.0,
                      .workers = shop_.turn.pool.config(group).warm_workers,
                      .free = allowed_more(group) - given_[group],
                      .broken = shop_.turn.pool.broken(group).has_value()});
  }
  const auto chosen = placement_.choose(groups);
  if (chosen) {
    placement_.placed(*chosen);
    ++given_[*chosen];
  }
  return chosen;
}

bool Queue::waits() const {
  return std::ranges::any_of(programs_.queued(), [this](store::Id program) {
    return shop_.turn.may_take_program() || !is_counted_first(program);
  });
}

bool Queue::takes_all(executor::GroupIndex group) const {
  return waits() && shop_.turn.pool.free_warm(group) <= given_[group];
}

bool Queue::done() const { return !waits() && !shop_.pressure.anyone_waits(shop_.turn.now); }

}  // namespace parityd::agent
