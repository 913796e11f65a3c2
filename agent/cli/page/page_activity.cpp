#include <nlohmann/json.hpp>

#include "agent/cli/page/page_views.h"
#include "agent/cli/reading.h"
#include "agent/cli/reports/arms.h"
#include "agent/cli/reports/statistics.h"
#include "oracle/json_read.h"

namespace parityd::agent {
namespace {

constexpr int kRuns = 40;
constexpr int kFailures = 20;
constexpr int kDaysOfWork = 14;

double dollars_of_reply(const store::ReplyRow& reply) {
  const bool settled = reply.state == store::ReplyState::answered || reply.state == store::ReplyState::failed;
  return static_cast<double>(settled ? reply.cost_nano_dollars : reply.reserved_nano_dollars) / 1e9;
}

const char* name_of(store::ReplyState state) {
  switch (state) {
    case store::ReplyState::reserved:
      return "in flight";
    case store::ReplyState::answered:
      return "answered";
    case store::ReplyState::failed:
      return "failed";
    case store::ReplyState::unknown:
      break;
  }
  return "unknown";
}

nlohmann::json listed_reply_json(const store::ReplyRow& reply) {
  return {{"id", reply.id},
          {"provider", reply.provider},
          {"model", reply.model},
          {"strategy", reply.strategy},
          {"purpose", reply.purpose},
          {"program", reply.program ? nlohmann::json(*reply.program) : nlohmann::json()},
          {"state", name_of(reply.state)},
          {"class", reply.klass},
          {"finish", reply.finish},
          {"prompt_tokens", reply.prompt_tokens},
          {"completion_tokens", reply.completion_tokens},
          {"dollars", dollars_of_reply(reply)},
          {"latency_seconds", static_cast<double>(reply.latency_ms) / 1000},
          {"attempts", reply.attempts},
          {"error", reply.error},
          {"at", utc(reply.reserved_at)}};
}

/// What was said in one round of a conversation about the compiler's source, and what came of it.
nlohmann::json round_json(const store::Store& store, const store::ReadingRow& reading) {
  auto hypotheses = nlohmann::json::array();
  for (const auto& each : store.hypotheses.of_reply(reading.reply)) {
    hypotheses.push_back({{"text", each.text},
                          {"program", each.program ? nlohmann::json(*each.program) : nlohmann::json()},
                          {"outcome", each.outcome}});
  }
  const auto reply = store.replies.find(reading.reply).value_or(store::ReplyRow{});
  return {{"reply", reading.reply},
          {"round", reading.round},
          {"chapter", reading.chapter},
          {"torch", reading.torch},
          {"state", name_of(reply.state)},
          {"class", reply.klass},
          {"dollars", dollars_of_reply(reply)},
          {"at", utc(reading.at)},
          {"hypotheses", std::move(hypotheses)}};
}

nlohmann::json runs_json(const store::Store& store) {
  auto all = nlohmann::json::array();
  for (const auto& row : store.examinations.recent(kRuns)) {
    all.push_back({{"program", row.program},
                   {"purpose", row.purpose},
                   {"round", row.round},
                   {"device", row.device},
                   {"torch", row.torch},
                   {"verdict", row.verdict},
                   {"worker_seconds", row.worker_seconds},
                   {"at", utc(row.at)}});
  }
  return all;
}

nlohmann::json failures_json(const store::Store& store) {
  auto all = nlohmann::json::array();
  for (const auto& row : store.examinations.harness_failures(kFailures)) {
    all.push_back({{"program", row.program ? nlohmann::json(*row.program) : nlohmann::json()},
                   {"text", row.text},
                   {"at", utc(row.at)}});
  }
  return all;
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
  auto all = nlohmann::json::array();
  for (const auto& reply : store.replies.before(before, limit)) all.push_back(listed_reply_json(reply));
  return all;
}

nlohmann::json reply_json(const store::Store& store, const store::ReplyRow& reply) {
  auto json = listed_reply_json(reply);
  json["prompt"] = reply.prompt;
  json["text"] = reply.text;
  json["conversation"] = nlohmann::json::array();
  for (const auto& reading : store.readings.rounds_of(reply.id))
    json["conversation"].push_back(round_json(store, reading));
  return json;
}

nlohmann::json program_json(const store::ProgramRow& program) {
  const auto optional_id = [](std::optional<store::Id> id) { return id ? nlohmann::json(*id) : nlohmann::json(); };
  return {{"id", program.id},
          {"text", program.text},
          {"origin", program.origin},
          {"strategy", program.strategy},
          {"reply", optional_id(program.reply)},
          {"parent", optional_id(program.parent)},
          {"round", program.round},
          {"state", name(program.state)},
          {"next_step", program.next_step},
          {"why", program.why},
          {"verdict", program.verdict ? nlohmann::json(oracle::name(program.verdict->verdict)) : nlohmann::json()},
          {"rule", program.verdict ? program.verdict->rule : ""},
          {"explanation", program.verdict ? program.verdict->explanation : ""},
          {"created_at", utc(program.created_at)}};
}

nlohmann::json events_json(const store::Store& store, store::Id before, int limit) {
  auto all = nlohmann::json::array();
  for (const auto& event : store.events.before(before, limit)) {
    all.push_back(
        {{"id", event.id}, {"at", utc(event.at)}, {"level", event.level}, {"what", event.what}, {"text", event.text}});
  }
  return all;
}

}  // namespace parityd::agent
