#include "agent/cli/running/job_session.h"

#include <algorithm>
#include <chrono>
#include <map>

namespace parityd::agent {

using namespace std::chrono_literals;
using executor::Clock;

JobSession::JobSession(Engine& engine, std::uint64_t seed, const std::vector<std::string>& excuses_off)
    : engine_(engine), examiner_(*engine.pool, engine.scratch->path() / "rounds", seed, excuses_off) {}

tl::expected<std::vector<Examined>, std::string> JobSession::turn() {
  if (auto examined = examiner_.drain_results(Clock::now()); !examined.empty()) return examined;
  for (executor::GroupIndex group = 0; group < engine_.pool->groups(); ++group) {
    if (const auto broken = engine_.pool->broken(group)) return tl::unexpected(*broken);
  }
  wait();
  return examiner_.drain_results(Clock::now());
}

tl::expected<void, std::string> JobSession::run(const std::function<bool()>& done,
                                                const std::function<void(const Examined&)>& on_result) {
  while (!done()) {
    const auto examined = turn();
    if (!examined) return tl::unexpected(examined.error());
    for (const auto& each : *examined) on_result(each);
  }
  return {};
}

tl::expected<void, std::string> JobSession::recheck(const std::function<std::optional<RecheckCase>()>& next, int rounds,
                                                    std::size_t most,
                                                    const std::function<void(const Subject&, const Recheck&)>& told) {
  struct Running {
    Subject subject;
    Recheck recheck;
  };
  std::map<store::Id, Running> running;
  const auto begin_round = [this](const Running& each) {
    examiner_.confirm(each.subject, Examination::recheck, each.recheck.next_round(), Clock::now());
  };
  const auto begin_some = [&] {
    while (running.size() < most) {
      auto found = next();
      if (!found) return;
      const store::Id id = found->subject.program;
      Running each{.subject = std::move(found->subject), .recheck = {std::move(found->known), rounds}};
      begin_round(running.emplace(id, std::move(each)).first->second);
    }
  };
  begin_some();
  return run([&] { return running.empty(); },
             [&](const Examined& round) {
               const auto found = running.find(round.program);
               if (found == running.end()) return;
               found->second.recheck.on_result(round);
               if (!found->second.recheck.done()) return begin_round(found->second);
               const auto done = running.extract(found);
               told(done.mapped().subject, done.mapped().recheck);
               begin_some();
             });
}

tl::expected<std::string, std::string> JobSession::inspect(Inspection what) {
  return inspect_together({std::move(what)}).and_then([](auto texts) { return std::move(texts.front()); });
}

tl::expected<std::vector<tl::expected<std::string, std::string>>, std::string> JobSession::inspect_together(
    const std::vector<Inspection>& all) {
  for (const auto& what : all) examiner_.inspect(what, Clock::now());
  std::vector<tl::expected<std::string, std::string>> texts(all.size());
  for (std::size_t answered = 0; answered < all.size();) {
    const auto turned = turn();
    for (auto& inspected : examiner_.take_inspected()) {
      const auto asked = std::ranges::find(all, inspected.what.group, &Inspection::group);
      texts[static_cast<std::size_t>(asked - all.begin())] = std::move(inspected.text);
      ++answered;
    }
    if (!turned && answered < all.size()) return tl::unexpected(turned.error());
  }
  return texts;
}

void JobSession::wait() {
  std::vector<executor::Interest> interests;
  engine_.pool->append_interests(interests);
  engine_.syntax->append_interests(interests);
  const auto now = Clock::now();
  const auto until = std::min(engine_.pool->next_deadline().value_or(now + 1s), now + 1s);
  loop_.wait(interests, std::max(std::chrono::ceil<std::chrono::milliseconds>(until - now), 0ms));
  engine_.pool->poll(Clock::now());
  engine_.syntax->poll();
}

}  // namespace parityd::agent
