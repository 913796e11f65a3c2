#include "agent/requests/request.h"

#include <array>
#include <nlohmann/json.hpp>

#include "agent/daemon/program/recheck.h"

namespace parityd::agent::requests {
namespace {

using Json = nlohmann::json;

Json null_or(const auto& value) { return value ? Json(*value) : Json(nullptr); }

Json arguments_of(const Stop& /*request*/) { return Json::object(); }
Json arguments_of(const Import& request) {
  Json json{{"file", request.file}, {"text", request.text}};
  if (request.line) json["line"] = true;
  if (request.options_json) json["options"] = *request.options_json;
  return json;
}
Json arguments_of(const TakeKnown& request) {
  Json lines = Json::array();
  for (const auto& issue : request.issues) lines.push_back(store::known_issue_line(issue));
  return {{"lines", std::move(lines)},
          {"guess", request.source == store::KnownSource::guess},
          {"as_of", null_or(request.as_of)}};
}
Json arguments_of(const Triage& request) {
  const auto& row = request.decision;
  return {{"finding", row.finding},
          {"status", row.status},
          {"issue", row.issue},
          {"note", row.note},
          {"checked", row.checked}};
}
Json arguments_of(const Merge& request) {
  return {{"finding", request.finding}, {"into", request.into}, {"note", request.note}};
}
Json arguments_of(const Split& request) {
  return {{"finding", request.finding}, {"programs", request.programs}, {"note", request.note}};
}
Json arguments_of(const Undo& request) { return {{"change", null_or(request.change)}}; }
Json arguments_of(const KeepInspection& request) {
  const auto& row = request.row;
  return {
      {"finding", row.finding}, {"tool", row.tool}, {"torch", row.torch}, {"device", row.device}, {"text", row.text}};
}
Json arguments_of(const KeepRecheck& request) {
  Json json = json_of(request.row);
  json["at"] = request.row.at;
  return json;
}
Json arguments_of(const NoteBackup& request) {
  return request.failed.empty() ? Json{{"done", request.done}} : Json{{"failed", request.failed}};
}

/// As nlohmann does where a field is missing or of another type.
[[noreturn]] void malformed() { throw Json::other_error::create(501, "no such value", nullptr); }

Request read_stop(const Json& /*json*/) { return Stop{}; }
Request read_import(const Json& json) {
  Import request{.file = json.value("file", ""), .text = json.value("text", ""), .line = json.value("line", false)};
  if (request.line && json.contains("options")) request.options_json = json.at("options").get<std::string>();
  return request;
}
Request read_known(const Json& json) {
  TakeKnown request;
  std::string lines;
  for (const auto& line : json.at("lines")) lines += line.get<std::string>() + "\n";
  if (!lines.empty()) {
    auto parsed = store::parse_known_issues(lines);
    if (!parsed) malformed();
    request.issues = std::move(parsed->issues);
  }
  request.source = json.at("guess").get<bool>() ? store::KnownSource::guess : store::KnownSource::facts;
  if (!json.at("as_of").is_null()) request.as_of = json.at("as_of").get<store::Millis>();
  return request;
}
Request read_triage(const Json& json) {
  return Triage{{.finding = json.value("finding", store::Id{0}),
                 .status = json.value("status", ""),
                 .issue = json.value("issue", ""),
                 .note = json.value("note", ""),
                 .checked = json.value("checked", "")}};
}
Request read_merge(const Json& json) {
  return Merge{.finding = json.at("finding").get<store::Id>(),
               .into = json.at("into").get<store::Id>(),
               .note = json.at("note").get<std::string>()};
}
Request read_split(const Json& json) {
  return Split{.finding = json.at("finding").get<store::Id>(),
               .programs = json.at("programs").get<std::vector<store::Id>>(),
               .note = json.at("note").get<std::string>()};
}
Request read_undo(const Json& json) {
  const auto& change = json.at("change");
  return Undo{change.is_null() ? std::nullopt : std::optional(change.get<store::Id>())};
}
Request read_inspection(const Json& json) {
  return KeepInspection{{.finding = json.value("finding", store::Id{0}),
                         .tool = json.value("tool", ""),
                         .torch = json.value("torch", ""),
                         .device = json.value("device", ""),
                         .text = json.value("text", "")}};
}
Request read_recheck(const Json& json) {
  const auto result = store::recheck_result_from_name(json.at("result").get<std::string>());
  if (!result) malformed();
  return KeepRecheck{{.finding = json.at("finding").get<store::Id>(),
                      .torch = json.at("torch").get<std::string>(),
                      .python = json.at("python").get<std::string>(),
                      .device = json.at("device").get<std::string>(),
                      .device_name = json.value("device_name", ""),  // rows written before there was one
                      .elsewhere = json.value("elsewhere", false),
                      .newest = json.at("newest").get<bool>(),
                      .result = *result,
                      .hits = json.at("hits").get<int>(),
                      .rounds = json.at("rounds").get<int>(),
                      .reason = json.at("reason").get<std::string>(),
                      .at = json.at("at").get<store::Millis>()}};
}
Request read_backup(const Json& json) {
  return NoteBackup{.done = json.value("done", ""), .failed = json.value("failed", "")};
}

struct Form {
  std::string_view command;
  Request (*read)(const Json& arguments);  // throws nlohmann's exceptions
  std::string_view unreadable;             // the result of a row that read() throws at
};

/// In the order of the alternatives.
constexpr std::array kForms{Form{"stop", read_stop, ""},
                            Form{"import", read_import, "no program in it"},
                            Form{"known", read_known, "no known issues in it"},
                            Form{"triage", read_triage, "no decision in it"},
                            Form{"merge", read_merge, "refused: the request cannot be read"},
                            Form{"split", read_split, "refused: the request cannot be read"},
                            Form{"undo", read_undo, "refused: the request cannot be read"},
                            Form{"inspection", read_inspection, "no such tool or finding"},
                            Form{"recheck", read_recheck, "no recheck of a finding in it"},
                            Form{"backup", read_backup, "no backup in it"}};
static_assert(kForms.size() == std::variant_size_v<Request>);

}  // namespace

std::string_view command_of(const Request& request) { return kForms.at(request.index()).command; }

store::RequestRow row_of(const Request& request, std::string who, store::Millis now) {
  const Json arguments = std::visit([](const auto& each) { return arguments_of(each); }, request);
  return {.command = std::string(command_of(request)),
          .arguments = arguments.dump(-1, ' ', false, Json::error_handler_t::replace),
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
