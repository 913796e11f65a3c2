#include "store/findings/fix_json.h"

#include "oracle/json_read.h"

namespace parityd::store {
namespace {

namespace json_read = oracle::json_read;

nlohmann::json check_json(const FixCheck& check) {
  return {{"name", check.name}, {"result", check.result},   {"ran", check.ran},         {"failed", check.failed},
          {"told", check.told}, {"failing", check.failing}, {"program", check.program}, {"seconds", check.seconds}};
}

nlohmann::json file_json(const FixedFile& file) {
  return {{"path", file.path}, {"before", file.before}, {"after", file.after}};
}

/// An array of `make`'s results.
template <class Rows, class Make>
nlohmann::json array_json(const Rows& rows, const Make& make) {
  auto all = nlohmann::json::array();
  for (const auto& row : rows) all.push_back(make(row));
  return all;
}

std::vector<std::string> names_from(const nlohmann::json& json, const char* key) {
  json_read::require(json, key);
  std::vector<std::string> names;
  json_read::read(json, key, names);
  return names;
}

FixCheck check_from(const nlohmann::json& json) {
  return {.name = json_read::required<std::string>(json, "name"),
          .result = json_read::require_name<FixResult>(json, "result"),
          .ran = json_read::required<std::int64_t>(json, "ran"),
          .failed = json_read::required<std::int64_t>(json, "failed"),
          .told = json_read::required<std::string>(json, "told"),
          .failing = names_from(json, "failing"),
          .program = json_read::required<std::string>(json, "program"),
          .seconds = json_read::required<double>(json, "seconds")};
}

FixedFile file_from(const nlohmann::json& json) {
  return {.path = json_read::required<std::string>(json, "path"),
          .before = json_read::required<std::string>(json, "before"),
          .after = json_read::required<std::string>(json, "after")};
}

Id id_from(const nlohmann::json& json) { return json_read::integer_of<Id>(json, "also_gone"); }

/// Throws nlohmann::json::exception if it is not an array of what `make` reads.
template <class Make>
auto array_from(const nlohmann::json& json, const char* name, const Make& make) {
  std::vector<decltype(make(json))> all;
  for (const auto& item : json_read::array_of(json, name)) all.push_back(make(item));
  return all;
}

}  // namespace

nlohmann::json files_json(const std::vector<FixedFile>& files) { return array_json(files, file_json); }
nlohmann::json checks_json(const std::vector<FixCheck>& checks) { return array_json(checks, check_json); }

std::vector<FixedFile> files_from(const nlohmann::json& json) { return array_from(json, "files", file_from); }
std::vector<FixCheck> checks_from(const nlohmann::json& json) { return array_from(json, "checks", check_from); }
std::vector<Id> ids_from(const nlohmann::json& json) { return array_from(json, "also_gone", id_from); }

nlohmann::json fix_json(const FixTry& row) {
  return {{"id", row.id},
          {"finding", row.finding},
          {"number", row.number},
          {"at", row.at},
          {"result", row.result},
          {"why", row.why},
          {"provider", row.provider},
          {"model", row.model},
          {"prompt_tokens", row.prompt_tokens},
          {"completion_tokens", row.completion_tokens},
          {"nano_dollars", row.nano_dollars},
          {"seconds", row.seconds},
          {"torch", row.torch},
          {"device", row.device},
          {"reply", row.reply},
          {"diff", row.diff},
          {"test", row.test},
          {"changed_lines", row.changed_lines},
          {"functions", row.functions},
          {"files", files_json(row.files)},
          {"checks", checks_json(row.checks)},
          {"also_gone", row.also_gone},
          {"newest", row.newest}};
}

FixTry fix_from(const nlohmann::json& json) {
  using json_read::required;
  return {.id = required<Id>(json, "id"),
          .finding = required<Id>(json, "finding"),
          .number = required<int>(json, "number"),
          .at = required<Millis>(json, "at"),
          .result = json_read::require_name<FixResult>(json, "result"),
          .why = required<std::string>(json, "why"),
          .provider = required<std::string>(json, "provider"),
          .model = required<std::string>(json, "model"),
          .prompt_tokens = required<std::int64_t>(json, "prompt_tokens"),
          .completion_tokens = required<std::int64_t>(json, "completion_tokens"),
          .nano_dollars = required<std::int64_t>(json, "nano_dollars"),
          .seconds = required<double>(json, "seconds"),
          .torch = required<std::string>(json, "torch"),
          .device = required<std::string>(json, "device"),
          .reply = required<std::string>(json, "reply"),
          .diff = required<std::string>(json, "diff"),
          .test = required<std::string>(json, "test"),
          .changed_lines = required<std::int64_t>(json, "changed_lines"),
          .functions = names_from(json, "functions"),
          .files = files_from(json_read::require(json, "files")),
          .checks = checks_from(json_read::require(json, "checks")),
          .also_gone = ids_from(json_read::require(json, "also_gone")),
          .newest = required<std::string>(json, "newest")};
}

}  // namespace parityd::store
