#include "agent/daemon/requests.h"

#include <variant>

#include "agent/llm/reply.h"

namespace parityd::agent {
namespace {

/// Imported programs that are parsed at the same time, so that a file of a million lines does not fill memory or a
/// turn.
constexpr int kImportsAtOnce = 64;

}  // namespace

void Requests::carry_out() {
  auto& rows = shop_.turn.store.requests;
  for (const auto& row : rows.pending(kImportsAtOnce)) {
    if (arrivals_.is_importing(row.id)) continue;
    const auto request = requests::read(row);
    if (!request) {
      rows.end(row.id, request.error(), shop_.turn.wall);
    } else if (const auto* program = std::get_if<requests::Import>(&*request)) {
      import(*program, row.id);
    } else if (std::holds_alternative<requests::Stop>(*request)) {
      stop_();
      rows.end(row.id, "stopping", shop_.turn.wall);
      shop_.turn.say("stop", "stop requested by " + row.who);
    } else {
      rows.end(row.id, apply_and_tell(shop_, *request, row.who), shop_.turn.wall);
    }
  }
}

/// The request's row is completed once the program has a row.
void Requests::import(const requests::Import& program, store::Id request) {
  Arrival arrival{.text = program.text,
                  .origin = store::Origin::import,
                  .source = program.file,
                  .request = request,
                  .seed = static_cast<std::uint64_t>(request)};
  if (program.options_json) {
    arrival.default_options = *program.options_json;
    arrival.options_known = true;
  }
  if (!program.line) {
    auto given = given_text(program.file, program.text);
    arrival.text = std::move(given.text);
    arrival.truncated = given.truncated;
  }
  arrivals_.import(std::move(arrival));
}

std::string apply_and_tell(Workshop& shop, const requests::Request& request, const std::string& who) {
  Turn& turn = shop.turn;
  const auto applied = requests::apply(request, {.store = turn.store,
                                                 .recorder = shop.recorder,
                                                 .who = who,
                                                 .now = turn.wall,
                                                 .known_max_age = turn.config.known_max_age});
  if (applied.changed) turn.findings_changed();
  if (applied.alarm) turn.alarms.raise(applied.alarm->first, applied.alarm->second);
  if (!applied.line.empty()) turn.progress.line(applied.line);
  if (!applied.note.empty()) turn.note(std::string(requests::command_of(request)), applied.note);
  return applied.result;
}

}  // namespace parityd::agent
