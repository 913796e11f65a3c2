#include "agent/cli/reports/queue_list.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "agent/cli/reading.h"
#include "agent/cli/reports/statistics.h"
#include "agent/cli/table.h"
#include "agent/daemon/loop/wall_clock.h"
#include "store/findings/queue.h"

namespace parityd::agent {
namespace {

nlohmann::json queue_json(const store::Store& store, const std::vector<store::QueueEntry>& queue) {
  auto array = nlohmann::json::array();
  for (const auto& entry : queue) {
    auto json = finding_json(store, entry.finding);
    json["next_step"] = entry.next_step;
    json["queue"] = {{"place", entry.place}, {"today", entry.today}, {"standing", entry.standing},
                     {"why", entry.why},     {"lines", entry.lines}, {"known_matches", entry.known_matches}};
    array.push_back(std::move(json));
  }
  return array;
}

void print_offered(Context& context, const store::QueueEntry& entry) {
  const std::string title = fmt::format("{}. finding {}: {}", entry.place, entry.finding.id, entry.finding.title);
  context.out << coloured(wrapped(title, 0, context.screen), Colour::bold, context.screen.colour) << "\n";
  for (const std::string& line : {entry.standing, entry.why, "next: " + entry.next_step}) {
    context.out << "   " << wrapped(line, 3, context.screen) << "\n";
  }
}

void print_queue(Context& context, const std::vector<store::QueueEntry>& queue) {
  Table waiting({"place", "id", "why there", "title"});
  for (const auto& entry : queue) {
    if (entry.today) {
      print_offered(context, entry);
    } else {
      waiting.add(
          {fmt::format("{}", entry.place), fmt::format("{}", entry.finding.id), entry.why, entry.finding.title});
    }
  }
  if (waiting.empty()) return;
  context.out << fmt::format("{}Not today: {}\n", queue.front().today ? "\n" : "", queue.back().next_step)
              << waiting.text(context.screen);
}

}  // namespace

void list_queue(Context& context, const store::Store& store, const store::FindingFilter& filter, bool json) {
  const auto config = load_context_config(context);
  if (!config) return;
  auto all = filter;
  all.limit = 0;  // every finding takes its place, whatever part of the queue is shown
  const store::QueueLimits limits{
      .drafts_per_day = config->drafts_per_day,
      .filed_today = static_cast<int>(store.findings.filed_since(start_of_day(wall_clock())))};
  auto findings = store.findings.list(all);
  std::map<store::Id, int> known_matches;
  for (const auto& finding : findings) {
    known_matches[finding.id] = static_cast<int>(store.known.matches(finding.id).size());
  }
  auto queue = store::queue_of(std::move(findings), known_matches, limits);
  if (filter.limit > 0 && queue.size() > static_cast<std::size_t>(filter.limit)) {
    queue.resize(static_cast<std::size_t>(filter.limit));
  }
  if (json) {
    print_json(context, queue_json(store, queue));
  } else if (queue.empty()) {
    context.out << "nothing waits to be filed: only ready findings of status new are queued\n";
  } else {
    print_queue(context, queue);
  }
}

}  // namespace parityd::agent
