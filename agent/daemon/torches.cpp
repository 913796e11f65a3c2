#include "agent/daemon/torches.h"

#include <fmt/format.h>

#include <utility>

#include "agent/daemon/requests.h"

namespace parityd::agent {

Torches::Torches(Workshop& shop, Aftercare& aftercare, std::vector<std::string> built_for)
    : shop_(shop),
      aftercare_(aftercare),
      rechecker_(shop.turn.store, shop.turn.pool, shop.examiner, shop.turn.config.confirmation_rounds, shop.turn.tested,
                 std::move(built_for)) {}

void Torches::meet() {
  Turn& turn = shop_.turn;
  std::vector<std::string> torches;
  for (executor::GroupIndex group = 0; group < turn.pool.groups(); ++group) {
    torches.push_back(rechecker_.torch_of(group));
    if (group < turn.tested && !torches.back().empty() && met_.insert(group).second) meet(group, torches.back());
  }
  aftercare_.set_torches(std::move(torches));  // scripts can run on torches that have workers
  const std::string newest = rechecker_.newest_torch();
  if (rechecker_.has_newest() && newest != newest_) {
    newest_ = newest;
    shop_.recorder.set_newest_torch(newest, turn.wall);
    turn.findings_changed();
  }
}

/// Programs that were consistent on the previous torch run again on a torch that is new here, before anything else
/// about it is stored.
void Torches::meet(executor::GroupIndex group, const std::string& torch) {
  Turn& turn = shop_.turn;
  rechecker_.look_again();
  const std::string device = turn.device_of(group);
  const auto before = turn.store.programs.torch_before(torch, device);
  if (!before) return;
  int queued = 0;
  for (const auto& program :
       turn.store.programs.consistent(*before, device, turn.config.sentinel_sample, turn.config.seed)) {
    queued += turn.store.programs.add_sentinel(program, *before, torch, turn.wall) ? 1 : 0;
  }
  turn.say("new_torch", fmt::format("torch {} is new to this database: {} findings are rechecked on it, {} programs "
                                    "that were consistent on {} run again",
                                    torch, turn.store.rechecks.found_elsewhere(torch, device).size(), queued, *before));
}

bool Torches::all_met() const {
  for (executor::GroupIndex group = 0; group < shop_.turn.tested; ++group) {
    if (!met_.contains(group) && !shop_.turn.pool.broken(group)) return false;
  }
  return true;
}

bool Torches::idle() const {
  return !rechecker_.waits() && (all_met() || shop_.turn.store.environments.torches().empty());
}

void Torches::look_again() {
  if (std::exchange(looked_at_, shop_.turn.findings_changes) != shop_.turn.findings_changes) rechecker_.look_again();
}

void Torches::begin(bool confirming) {
  look_again();
  for (auto& begin : rechecker_.begin(confirming, shop_.turn.wall)) {
    shop_.turn.send([&turn = shop_.turn, begin = std::move(begin)] { begin(turn.now); });
  }
}

void Torches::on_result(const Examined& examined) {
  Turn& turn = shop_.turn;
  if (examined.group < turn.tested) shop_.share.spent(examined.group, true, examined.seconds);
  auto taken = rechecker_.on_result(examined, turn.wall);
  if (taken.next && !turn.stopping) turn.send([&turn, next = std::move(taken.next)] { next(turn.now); });
  if (taken.row) apply_and_tell(shop_, requests::KeepRecheck{*taken.row}, taken.row->who);
}

}  // namespace parityd::agent
