#include "agent/cli/page/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>

#include "agent/cli/json.h"
#include "agent/cli/page/page_views.h"
#include "agent/duration.h"
#include "agent/requests/request.h"
#include "agent/web/page_files.h"

namespace parityd::agent {
namespace {

constexpr int kListed = 50;
constexpr int kUsualFindings = 200;
/// The loop makes at least two turns a second and records that every ten seconds.
constexpr store::Millis kLongestTurn = 120'000;

/// The request cannot be answered; what() is shown to the person who made it.
class PageMistake : public std::runtime_error {
 public:
  PageMistake(int code, const std::string& what) : std::runtime_error(what), status(code) {}
  int status;
};

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// The first parameter of that name; empty: none. Throws a PageMistake if it contains a zero byte.
std::string parameter(const PageRequest& request, const char* name) {
  const auto found = request.parameters.find(name);
  if (found == request.parameters.end()) return "";
  if (found->second.find('\0') != std::string::npos) {  // SQLite's full-text search would stop there
    throw PageMistake(400, fmt::format("{}: contains a NUL byte", name));
  }
  return found->second;
}

/// Throws a PageMistake if it is not a number within the bounds.
std::int64_t number_parameter(const PageRequest& request, const char* name, std::int64_t usual, std::int64_t least,
                              std::int64_t most) {
  const std::string text = parameter(request, name);
  if (text.empty()) return usual;
  const auto value = whole_number(text);
  if (!value || *value < least || *value > most) {
    throw PageMistake(400, fmt::format("{}: expected a number from {} to {}", name, least, most));
  }
  return *value;
}

/// The filters of `parityd findings`, under the same names.
store::FindingFilter finding_filter(const PageRequest& request, store::Millis now) {
  store::FindingFilter filter{.kind = parameter(request, "kind"),
                              .stage = parameter(request, "stage"),
                              .status = parameter(request, "status"),
                              .trigger = parameter(request, "trigger"),
                              .device = parameter(request, "device"),
                              .disposition = parameter(request, "disposition"),
                              .operator_name = parameter(request, "operator"),
                              .dtype = parameter(request, "dtype"),
                              .torch = parameter(request, "torch"),
                              .text = parameter(request, "search")};
  filter.limit = static_cast<int>(number_parameter(request, "limit", kUsualFindings, 1, 10'000));
  if (const std::string text = parameter(request, "since"); !text.empty()) {
    const auto since = parse_since(text, now);
    if (!since) throw PageMistake(400, "since: expected a span such as 12h or 7d, or a day such as 2026-03-02 (UTC)");
    filter.since = *since;
  }
  return filter;
}

/// The number that follows `start` in a path, as in "/api/findings/12"; nullopt: none.
std::optional<store::Id> id_after(std::string_view start, std::string_view path) {
  return path.starts_with(start) ? whole_number(path.substr(start.size())) : std::nullopt;
}

PageAnswer json_answer(const nlohmann::json& json, int status = 200) {
  return {.status = status, .body = oracle::compact(json)};
}

template <class Row>
const Row& found(const std::optional<Row>& row) {
  if (!row) throw PageMistake(404, "not found");
  return *row;
}

std::string text_in(const nlohmann::json& json, const char* key) {
  const auto value = json.find(key);
  return value != json.end() && value->is_string() ? value->get<std::string>() : "";
}

/// Like `parityd triage` while the daemon runs: checked by the same rules here and again by the daemon.
PageAnswer triage(const PageFacts& facts, const PageRequest& request, store::Millis now) {
  if (!facts.daemon) throw PageMistake(409, "no daemon is running here to apply it; use `parityd triage`");
  const auto json = oracle::parsed(request.body);
  if (!json.is_object()) throw PageMistake(400, "expected a JSON object");
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
  return {{"request", id}, {"result", or_null(store.requests.result(id))}};
}

PageAnswer health(const store::Store& store, const PageFacts& facts, store::Millis now) {
  const auto state = oracle::parsed_object(store.values.find("workers").value_or("{}"));
  const store::Millis age = now - std::max(facts.started, state.value("at", facts.started));
  const bool well = !facts.daemon || age < kLongestTurn;
  return json_answer({{"status", well ? "ok" : "the main loop has not run for minutes"}}, well ? 200 : 503);
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
  throw PageMistake(404, "there is no page at this address");
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
    const auto file = std::ranges::find(files, request.path, &PageFile::path);
    if (file != files.end()) return {.type = std::string(file->type), .body = std::string(file->text)};
    return answer_data(facts, request, now);
  } catch (const PageMistake& mistake) {
    return json_answer({{"error", mistake.what()}}, mistake.status);
  }
}

}  // namespace parityd::agent
