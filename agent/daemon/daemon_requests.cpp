// What other processes ask of the daemon.
#include "agent/daemon/daemon.h"
#include "agent/llm/reply.h"
#include "agent/requests/apply.h"

namespace parityd::agent {
namespace {

/// Programs to import that are parsed at the same time. A file of a million lines fills neither memory nor a turn.
constexpr int kImportsAtOnce = 64;

}  // namespace

void Daemon::apply_requests() {
  for (const auto& row : parts_.store.requests.pending(kImportsAtOnce)) {
    if (importing_.contains(row.id)) {
      continue;
    }
    const auto request = requests::read(row);
    if (!request) {
      parts_.store.requests.end(row.id, request.error(), wall_);
    } else if (const auto* program = std::get_if<requests::Import>(&*request)) {
      import_program(*program, row.id);
    } else if (std::holds_alternative<requests::Stop>(*request)) {
      begin_stop(now_);
      parts_.store.requests.end(row.id, "stopping", wall_);
      say("stop", "stop requested by " + row.who);
    } else {
      const auto applied = apply_request(*request, row.who);
      parts_.store.requests.end(row.id, applied.result, wall_);
      if (applied.changed && std::holds_alternative<requests::KeepRecheck>(*request)) {
        rechecker_.look_again();
      }
    }
  }
}

/// Its row is done once the program is one.
void Daemon::import_program(const requests::Import& program, store::Id request) {
  importing_.insert(request);
  Arrival arrival{.text = program.text,
                  .origin = "import",
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
  intake_.take(std::move(arrival));
}

/// One of the daemon's own, too: a recheck that it made itself is kept like anybody's.
requests::Applied Daemon::apply_request(const requests::Request& request, const std::string& who) {
  auto applied = requests::apply(request, {.store = parts_.store,
                                           .recorder = recorder_,
                                           .who = who,
                                           .now = wall_,
                                           .known_max_age = parts_.config.known_max_age});
  if (applied.changed) {
    findings_changed();
  }
  if (applied.alarm) {
    alarms_.raise(applied.alarm->first, applied.alarm->second);
  }
  if (!applied.line.empty()) {
    progress_.line(applied.line);
  }
  if (!applied.note.empty()) {
    note(std::string(requests::command_of(request)), applied.note);
  }
  return applied;
}

}  // namespace parityd::agent
