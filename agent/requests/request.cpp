#include "agent/requests/request.h"
#include "oracle/json_read.h"

#include <array>
#include <nlohmann/json.hpp>

// JSON form of the store's rows in a request. A missing field was not known to the version that wrote it.
namespace parityd::store {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RecheckRow, finding, torch, python, device, device_name, elsewhere,
                                                newest, result, hits, rounds, reason, at)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TriageRow, finding, status, issue, note, checked)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(InspectionRow, finding, tool, torch, device, text)

static void to_json(nlohmann::json& json, const FixTry& row) { json = fix_json(row); }
static void from_json(const nlohmann::json& json, FixTry& row) { row = fix_from(json); }

}  // namespace parityd::store

namespace parityd::agent::requests {

using Json = nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Merge, finding, into, note)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Split, finding, programs, note)

static void to_json(Json& json, const Stop& /*request*/) { json = Json::object(); }
static void from_json(const Json& /*json*/, Stop& /*request*/) {}

static void to_json(Json& json, const Import& request) {
  json = {{"file", request.file}, {"text", request.text}};
  if (request.line) json["line"] = true;
  if (request.options_json) json["options"] = *request.options_json;
}
static void from_json(const Json& json, Import& request) {
  request = {.file = json.value("file", ""), .text = json.value("text", ""), .line = json.value("line", false)};
  if (request.line && json.contains("options")) request.options_json = json.at("options").get<std::string>();
}

static Json or_null(const auto& value) { return value ? Json(*value) : Json(nullptr); }
static void read_or_null(const Json& json, auto& value) {
  if (!json.is_null()) value = json.get<store::Id>();
}

static void to_json(Json& json, const TakeKnown& request) {
  Json lines = Json::array();
  for (const auto& issue : request.issues) lines.push_back(store::known_issue_line(issue));
  json = {{"lines", std::move(lines)},
          {"guess", request.source == store::KnownSource::guess},
          {"as_of", or_null(request.as_of)}};
}
static void from_json(const Json& json, TakeKnown& request) {
  std::string lines;
  for (const auto& line : json.at("lines")) lines += line.get<std::string>() + "\n";
  if (!lines.empty()) {
    auto parsed = store::parse_known_issues(lines);
    if (!parsed) throw Json::other_error::create(501, "no issues", &json);
    request.issues = std::move(parsed->issues);
  }
  request.source = json.at("guess").get<bool>() ? store::KnownSource::guess : store::KnownSource::facts;
  read_or_null(json.at("as_of"), request.as_of);
}

static void to_json(Json& json, const Undo& request) { json = {{"change", or_null(request.change)}}; }
static void from_json(const Json& json, Undo& request) { read_or_null(json.at("change"), request.change); }

static void to_json(Json& json, const NoteBackup& request) {
  json = request.failed.empty() ? Json{{"done", request.done}} : Json{{"failed", request.failed}};
}
static void from_json(const Json& json, NoteBackup& request) {
  request = {.done = json.value("done", ""), .failed = json.value("failed", "")};
}

namespace {

/// The part of a request that is written as arguments: its `row` if it has one, else all of it.
auto& content_of(auto& request) {
  if constexpr (requires { request.row; }) {
    return request.row;
  } else {
    return request;
  }
}

struct Form {
  std::string_view command;
  std::string_view unreadable;             // result of a row for which `read` throws
  Request (*read)(const Json& arguments);  // throws nlohmann's exceptions
};

template <class Type>
constexpr Form form(std::string_view command, std::string_view unreadable) {
  return {command, unreadable, [](const Json& arguments) {
            Type request;
            arguments.get_to(content_of(request));
            return Request(std::move(request));
          }};
}

constexpr std::string_view kNoRegrouping = "refused: the request cannot be read";
/// In the order of the variant's alternatives.
constexpr std::array kForms{form<Stop>("stop", ""),
                            form<Import>("import", "no program in it"),
                            form<TakeKnown>("known", "no known issues in it"),
                            form<Triage>("triage", "no decision in it"),
                            form<Merge>("merge", kNoRegrouping),
                            form<Split>("split", kNoRegrouping),
                            form<Undo>("undo", kNoRegrouping),
                            form<KeepInspection>("inspection", "no such tool or finding"),
                            form<KeepRecheck>("recheck", "no recheck of a finding in it"),
                            form<KeepFix>("fix", "no change for a finding in it"),
                            form<NoteBackup>("backup", "no backup in it")};
static_assert(kForms.size() == std::variant_size_v<Request>);

}  // namespace

std::string_view command_of(const Request& request) { return kForms.at(request.index()).command; }

store::RequestRow row_of(const Request& request, std::string who, store::Millis now) {
  const Json arguments = std::visit([](const auto& each) { return Json(content_of(each)); }, request);
  return {.command = std::string(command_of(request)),
          .arguments = oracle::compact(arguments),
          .who = std::move(who),
          .created_at = now};
}

tl::expected<Request, std::string> read(const store::RequestRow& row) {
  for (const Form& form : kForms) {
    if (form.command != row.command) continue;
    try {
      return form.read(Json::parse(row.arguments, nullptr, false));
    } catch (const Json::exception&) {
      return tl::unexpected(std::string(form.unreadable));
    }
  }
  return tl::unexpected("unknown command " + row.command);
}

}  // namespace parityd::agent::requests
