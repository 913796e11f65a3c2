#include "agent/daemon/requests.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "agent/daemon/findings/grouping.h"
#include "agent/daemon/findings/known.h"
#include "agent/daemon/program/recheck.h"
#include "agent/llm/reply.h"
#include "executor/tools.h"

namespace parityd::agent {
namespace {

/// Programs to import that are parsed at the same time. A file of a million lines fills neither memory nor a turn.
constexpr int kImportsAtOnce = 64;

using store::EventKind;

}  // namespace

void Requests::end(const store::RequestRow& request, const std::string& result) {
  shop_.turn.store.requests.end(request.id, result, shop_.turn.wall);
}

void Requests::service() {
  for (const auto& request : shop_.turn.store.requests.pending(kImportsAtOnce)) {
    if (request.command == "stop") {
      stop_();
      end(request, "stopping");
      shop_.turn.say("stop", "stop requested by " + request.who);
    } else if (request.command == "import") {
      if (!arrivals_.is_importing(request.id)) {
        import(request);
      }
    } else if (request.command == "known") {
      take_known(request);
    } else if (request.command == "triage") {
      triage(request);
    } else if (is_grouping(request.command)) {
      end(request, apply_grouping(shop_.turn.store, shop_.recorder, request, shop_.turn.wall));
      shop_.turn.findings_changed();
    } else if (request.command == "inspection") {
      take_inspection(request);
    } else if (request.command == "recheck") {
      take_recheck(request);
    } else if (request.command == "backup") {
      take_backup(request);
    } else {
      end(request, "unknown command " + request.command);
    }
  }
}

void Requests::import(const store::RequestRow& request) {
  const auto arguments = nlohmann::json::parse(request.arguments, nullptr, false);
  const std::string file = arguments.is_object() ? arguments.value("file", "") : "";
  const std::string text = arguments.is_object() ? arguments.value("text", "") : "";
  Arrival arrival{.text = text,
                  .origin = "import",
                  .source = file,
                  .request = request.id,
                  .seed = static_cast<std::uint64_t>(request.id)};
  const bool line = arguments.is_object() && arguments.value("line", false);  // of JSON Lines
  if (line && arguments.contains("options")) {
    arrival.default_options = arguments.value("options", "{}");
    arrival.options_known = true;
  }
  if (!line) {
    auto given = given_text(file, text);
    arrival.text = std::move(given.text);
    arrival.truncated = given.truncated;
  }
  arrivals_.import(std::move(arrival));
}

void Requests::take_known(const store::RequestRow& request) {
  const auto update = known_update_from_text(request.arguments);
  if (!update) {
    end(request, "no known issues in it");
    return;
  }
  shop_.turn.store.known.put(update->issues, update->source, update->as_of);
  const int released = shop_.recorder.release_stale(shop_.turn.wall);
  shop_.turn.findings_changed();
  const std::string sentence = known_sentence(shop_.turn.store, shop_.turn.wall, shop_.turn.config.known_max_age);
  shop_.turn.progress.line(sentence);
  shop_.turn.note("known", fmt::format("{} from {}; {} findings released", sentence, request.who, released));
  end(request, "taken");
}

void Requests::triage(const store::RequestRow& request) {
  const auto arguments = nlohmann::json::parse(request.arguments, nullptr, false);
  if (!arguments.is_object()) {
    end(request, "no decision in it");
    return;
  }
  const store::TriageRow row{.finding = arguments.value("finding", store::Id{0}),
                             .status = arguments.value("status", ""),
                             .issue = arguments.value("issue", ""),
                             .note = arguments.value("note", ""),
                             .checked = arguments.value("checked", ""),
                             .who = request.who,
                             .at = shop_.turn.wall};
  end(request, shop_.turn.store.triage.decide(row).value_or("taken"));
  shop_.turn.findings_changed();
}

/// What `parityd inspect` was told by a tool that it ran itself.
void Requests::take_inspection(const store::RequestRow& request) {
  const auto arguments = nlohmann::json::parse(request.arguments, nullptr, false);
  store::InspectionRow row{.at = shop_.turn.wall};
  if (arguments.is_object()) {
    row.finding = arguments.value("finding", store::Id{0});
    row.tool = arguments.value("tool", "");
    row.torch = arguments.value("torch", "");
    row.device = arguments.value("device", "");
    row.text = arguments.value("text", "");
  }
  if (!executor::is_tool(row.tool) || !shop_.turn.store.findings.find(row.finding)) {
    end(request, "no such tool or finding");
    return;
  }
  shop_.turn.store.inspections.add(row);
  end(request, "stored");
}

/// `parityd backup` made one itself, or failed to: when and where is kept for `status`.
void Requests::take_backup(const store::RequestRow& request) {
  const auto arguments = nlohmann::json::parse(request.arguments, nullptr, false);
  const std::string done = arguments.is_object() ? arguments.value("done", "") : "";
  const std::string failed = arguments.is_object() ? arguments.value("failed", "") : "";
  if (!failed.empty()) {
    shop_.turn.alarms.raise(EventKind::backup_failed, failed);
  }
  if (!done.empty()) {
    shop_.turn.store.values.set(kLastBackup, done);
    shop_.turn.note("backup", done);
  }
  end(request, done.empty() && failed.empty() ? "no backup in it" : "noted");
}

/// What `parityd recheck` saw.
void Requests::take_recheck(const store::RequestRow& request) {
  auto row = recheck_from_text(request.arguments);
  if (!row || !shop_.turn.store.findings.find(row->finding)) {
    end(request, "no recheck of a finding in it");
    return;
  }
  row->who = request.who;
  torches_.keep(*row);
  end(request, "stored");
}

}  // namespace parityd::agent
