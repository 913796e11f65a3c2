#include "agent/daemon/loop/turn.h"

#include "executor/pool/pool.h"

namespace parityd::agent {

void Turn::execute(std::function<void()> effect) {
  send(std::move(effect));
  send([this] { reach(KillPoint::executing); });
}

void Turn::note(const std::string& what, const std::string& text) {
  store.events.add("info", what, text, wall);
  log.line("info", what, text);
}

void Turn::say(const std::string& what, const std::string& text) {
  progress.line(text);
  note(what, text);
}

void Turn::reach(KillPoint point) const {
  if (kill_hook) kill_hook(point);
}

std::string Turn::device_of(executor::GroupIndex group) const { return std::string(name(pool.config(group).device)); }

}  // namespace parityd::agent
