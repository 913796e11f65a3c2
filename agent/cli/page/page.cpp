#include "agent/cli/page/page.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "agent/cli/page/page_parameters.h"
#include "agent/cli/page/page_views.h"
#include "agent/requests/request.h"
#include "agent/web/page_files.h"
#include "oracle/json_read.h"

namespace parityd::agent {
namespace {

constexpr int kListed = 50;
/// The loop turns twice a second, and says so every ten.
constexpr store::Millis kLongestTurn = 120'000;

template <class Row>
const Row& found(const std::optional<Row>& row) {
  if (!row) throw PageMistake(404, "there is no such thing");
  return *row;
}

std::string text_in(const nlohmann::json& json, const char* key) {
  const auto value = json.find(key);
  return value != json.end() && value->is_string() ? value->get<std::string>() : "";
}

/// As `parityd triage` beside a running daemon: checked by the same rules now, and by the daemon when it takes it.
PageAnswer triage(const PageFacts& facts, const PageRequest& request, store::Millis now) {
  const auto json = oracle::parsed(request.body);
  if (!json.is_object()) throw PageMistake(400, "expected an object");
  const auto finding = json.find("finding");
  const store::TriageRow row{
      .finding = finding != json.end() && finding->is_number_integer() ? finding->get<store::Id>() : 0,
      .status = text_in(json, "status"),
      .issue = text_in(json, "issue"),
      .note = text_in(json, "note"),
      .checked = text_in(json, "checked")};
  store::Store store(facts.database, store::Access::request);
  if (const auto mistake = store.triage.cannot_decide(row)) throw PageMistake(422, *mistake);
  const store::Id asked = store.requests.add(row_of(requests::Triage{row}, "page, " + request.client, now));
  return json_answer({{"request", asked}}, 202);
}

nlohmann::json request_json(const store::Store& store, store::Id id) {
  const auto result = store.requests.result(id);
  return {{"request", id}, {"result", result ? nlohmann::json(*result) : nlohmann::json(nullptr)}};
}

PageAnswer health(const store::Store& store, const PageFacts& facts, store::Millis now) {
  const auto state = oracle::parsed_object(store.values.find("workers").value_or("{}"));
  const store::Millis age = now - std::max(facts.started, state.value("at", facts.started));
  const bool well = age < kLongestTurn;
  return json_answer({{"status", well ? "ok" : "the loop has not turned for minutes"}}, well ? 200 : 503);
}

PageAnswer list(const PageRequest& request, const store::Store& store,
                nlohmann::json (*view)(const store::Store&, store::Id, int)) {
  constexpr store::Id kNewest = std::numeric_limits<store::Id>::max();
  const store::Id before = number_parameter(request, "before", kNewest, 0, kNewest);
  return json_answer(view(store, before, static_cast<int>(number_parameter(request, "limit", kListed, 1, 500))));
}

PageAnswer answer_data(const PageFacts& facts, const PageRequest& request, store::Millis now) {
  const std::string& path = request.path;
  const store::Store store(facts.database, store::Access::read);
  if (path == "/healthz") return health(store, facts, now);
  if (path == "/metrics") {
    return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics_text(store, facts, now)};
  }
  if (path == "/api/overview") return json_answer(overview_json(store, facts, now));
  if (path == "/api/findings") return json_answer(findings_json(store, finding_filter(request, now)));
  if (path == "/api/strategies") return json_answer(strategies_json(store));
  if (path == "/api/compiler") return json_answer(compiler_json(store, parameter(request, "file")));
  if (path == "/api/workers") return json_answer(workers_json(store, now));
  if (path == "/api/replies") return list(request, store, replies_json);
  if (path == "/api/events") return list(request, store, events_json);
  if (const auto id = id_after("/api/findings/", path)) {
    return json_answer(finding_page_json(store, found(store.findings.find(*id))));
  }
  if (const auto id = id_after("/api/replies/", path))
    return json_answer(reply_json(store, found(store.replies.find(*id))));
  if (const auto id = id_after("/api/programs/", path))
    return json_answer(program_json(found(store.programs.find(*id))));
  if (const auto id = id_after("/api/requests/", path)) return json_answer(request_json(store, *id));
  throw PageMistake(404, "there is nothing at this address");
}

}  // namespace

void PageSettings::set(const Config& config) {
  const std::lock_guard lock(mutex_);
  values_ = {.caps = caps_of(config), .known_max_age = config.known_max_age};
}

PageSettings::Values PageSettings::values() const {
  const std::lock_guard lock(mutex_);
  return values_;
}

PageAnswer answer_page(const PageFacts& facts, const PageRequest& request, store::Millis now) {
  try {
    if (request.method == "POST") return triage(facts, request, now);
    const auto& files = page_files();
    const auto file =
        std::find_if(files.begin(), files.end(), [&](const auto& each) { return each.path == request.path; });
    if (file != files.end()) return {.type = std::string(file->type), .body = std::string(file->text)};
    return answer_data(facts, request, now);
  } catch (const PageMistake& mistake) {
    return json_answer({{"error", mistake.what()}}, mistake.status);
  }
}

}  // namespace parityd::agent
