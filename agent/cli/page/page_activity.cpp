#include "agent/cli/page/page_views.h"
#include "agent/cli/reading.h"
#include "agent/cli/reports/statistics.h"
#include "agent/cli/reports/strategies.h"
#include "agent/cli/store_json.h"
#include "agent/llm/price.h"

namespace parityd::agent {
namespace {

constexpr int kRuns = 40;
constexpr int kFailures = 20;
constexpr int kDaysOfWork = 14;

double dollars_of_reply(const store::ReplyRow& reply) {
  const bool settled = reply.state == store::ReplyState::answered || reply.state == store::ReplyState::failed;
  return in_dollars(settled ? reply.cost_nano_dollars : reply.reserved_nano_dollars);
}

std::string_view name_of(store::ReplyState state) {
  return state == store::ReplyState::reserved ? "in flight" : name(state);
}

nlohmann::json listed_reply_json(const store::ReplyRow& reply) {
  nlohmann::json json = reply;
  json.update({{"program", or_null(reply.program)},
               {"state", name_of(reply.state)},
               {"class", reply.klass},
               {"dollars", dollars_of_reply(reply)},
               {"latency_seconds", static_cast<double>(reply.latency_ms) / 1000},
               {"at", utc(reply.reserved_at)}});
  return json;
}

/// One round of a conversation about the compiler's source, and its outcomes.
nlohmann::json round_json(const store::Store& store, const store::ReadingRow& reading) {
  const auto hypothesis_json = [](const auto& each) -> nlohmann::json {
    return {{"text", each.text}, {"program", or_null(each.program)}, {"outcome", each.outcome}};
  };
  const auto reply = store.replies.find(reading.reply).value_or(store::ReplyRow{});
  return {{"reply", reading.reply},
          {"round", reading.round},
          {"chapter", reading.chapter},
          {"torch", reading.torch},
          {"state", name_of(reply.state)},
          {"class", reply.klass},
          {"dollars", dollars_of_reply(reply)},
          {"at", utc(reading.at)},
          {"hypotheses", json_array(store.hypotheses.of_reply(reading.reply), hypothesis_json)}};
}

nlohmann::json runs_json(const store::Store& store) {
  return json_array(store.examinations.recent(kRuns), [](const store::ExaminationRow& row) {
    nlohmann::json json = row;
    json["at"] = utc(row.at);
    return json;
  });
}

nlohmann::json failures_json(const store::Store& store) {
  return json_array(store.examinations.harness_failures(kFailures), [](const auto& row) -> nlohmann::json {
    return {{"program", or_null(row.program)}, {"text", row.text}, {"at", utc(row.at)}};
  });
}

}  // namespace

nlohmann::json strategies_json(const store::Store& store) {
  return {{"arms", arms_json(store)},
          {"costs", costs_json(store.spending.since(0))},
          {"repairs", repairs_json(store.repairs.yield_since(0))},
          {"reply_classes", reply_classes_json(store.replies.classes_since(0))}};
}

nlohmann::json workers_now_json(const store::Store& store) {
  return oracle::parsed_object(store.values.find("workers").value_or("{}")).value("groups", nlohmann::json::array());
}

nlohmann::json workers_json(const store::Store& store, store::Millis now) {
  auto days = nlohmann::json::array();
  for (int back = kDaysOfWork - 1; back >= 0; --back) {
    const store::Millis day = start_of_day(now) - back * store::kDay;
    double busy = 0, idle = 0;
    for (const auto& row : store.workers.seconds_of_day(day)) (row.occupation == "idle" ? idle : busy) += row.seconds;
    days.push_back({{"day", utc(day).substr(0, 10)}, {"busy_seconds", busy}, {"idle_seconds", idle}});
  }
  return {{"state", workers_now_json(store)},
          {"groups", groups_json(gather_groups(store, 0))},
          {"days", std::move(days)},
          {"runs", runs_json(store)},
          {"harness_failures", failures_json(store)}};
}

nlohmann::json replies_json(const store::Store& store, store::Id before, int limit) {
  return json_array(store.replies.before(before, limit), listed_reply_json);
}

nlohmann::json reply_json(const store::Store& store, const store::ReplyRow& reply) {
  auto json = listed_reply_json(reply);
  json["prompt"] = reply.prompt;
  json["text"] = reply.text;
  json["conversation"] =
      json_array(store.readings.rounds_of(reply.id), [&](const auto& reading) { return round_json(store, reading); });
  return json;
}

nlohmann::json program_json(const store::ProgramRow& program) {
  return {{"id", program.id},
          {"text", program.text},
          {"origin", program.origin},
          {"strategy", program.strategy},
          {"reply", or_null(program.reply)},
          {"parent", or_null(program.parent)},
          {"round", program.round},
          {"state", program.state},
          {"next_step", program.next_step},
          {"why", program.why},
          {"verdict", program.verdict ? nlohmann::json(program.verdict->verdict) : nlohmann::json()},
          {"rule", program.verdict ? program.verdict->rule : ""},
          {"explanation", program.verdict ? program.verdict->explanation : ""},
          {"created_at", utc(program.created_at)}};
}

nlohmann::json events_json(const store::Store& store, store::Id before, int limit) {
  return json_array(store.events.before(before, limit), [](const auto& event) {
    auto json = event_json(event);
    json["id"] = event.id;
    return json;
  });
}

}  // namespace parityd::agent
