#include "agent/cli/reading.h"

#include <fmt/chrono.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <memory>

#include "agent/cli/store_json.h"
#include "agent/cli/table.h"
#include "agent/daemon/program/recheck.h"
#include "store/findings/queue.h"
#include "store/findings/version_range.h"
#include "store/report/sandbox_text.h"

namespace parityd::agent {
namespace fs = std::filesystem;

std::unique_ptr<store::Store> open_for_reading(const Context& context) {
  if (!fs::exists(context.database())) return nullptr;
  return std::make_unique<store::Store>(context.database(), store::Access::read);
}

void say_no_database(Context& context) {
  context.fail(context.exit_code,
               "parityd: {}: there is no database yet; `parityd run` creates one, --state DIR chooses another folder",
               context.database().string());
}

std::unique_ptr<store::Store> open_or_fail(Context& context) {
  auto store = open_for_reading(context);
  if (store) return store;
  say_no_database(context);
  context.exit_code = 1;
  return nullptr;
}

void with_finding(Context& context, store::Id id,
                  const std::function<void(const store::Store&, const store::FindingRow&)>& use) {
  const auto store = open_or_fail(context);
  if (!store) return;
  const auto finding = store->findings.find(id);
  if (finding) return use(*store, *finding);
  context.fail(1, "parityd: {}: there is no finding {}; `parityd findings` lists them", context.database().string(),
               id);
}

bool is_tampered(Context& context, const store::Store& store, store::Id finding) {
  const auto changed = store.findings.tampered(finding);
  if (changed.empty()) return false;
  context.fail(3,
               "parityd: finding {} is not valid: the hash of {} does not match. Restore a backup, or run its program "
               "again: docs/storage.md",
               finding, fmt::join(changed, ", "));
  return true;
}

nlohmann::json known_json(const std::vector<store::KnownMatch>& matches) {
  return json_array(matches, [](const auto& match) -> nlohmann::json {
    return {{"issue", match.issue},
            {"url", fmt::format("https://github.com/pytorch/pytorch/issues/{}", match.issue)},
            {"state", match.state},
            {"confidence", match.confident ? "confident" : "possible"},
            {"reason", match.reason}};
  });
}

nlohmann::json versions_json(const store::Store& store, const store::FindingRow& finding) {
  const auto rechecks = store.rechecks.of(finding.id);
  const auto tried = store::torches_tried(finding, rechecks);
  const auto range = store::version_range(finding, tried);
  return {{"rechecks", json_array(rechecks, recheck_json)},
          {"last_good", range.last_good},
          {"first_bad", range.first_bad},
          {"first_fixed", range.first_fixed},
          {"range", store::range_text(finding, tried)}};
}

nlohmann::json recheck_json(const store::RecheckRow& row) {
  nlohmann::json json = json_of(row);
  json["who"] = row.who;
  json["at"] = utc(row.at);
  return json;
}

nlohmann::json listed_finding_json(const store::FindingRow& finding) {
  auto json =
      picked(finding, {"id", "kind", "stage", "trigger", "status", "occurrences", "title", "alarm", "device", "torch"});
  json["disposition"] = finding.disposition.text();
  json["severity"] = finding.disposition.severity;
  json["severity_words"] = finding.disposition.is_ready() ? store::severity_words(finding) : "";
  json["created_at"] = utc(finding.created_at);
  return json;
}

nlohmann::json finding_json(const store::Store& store, const store::FindingRow& finding) {
  const auto draft = store.drafts.find(finding.id);
  const auto decisions = store.triage.of(finding.id);
  const auto decision = decisions.empty() ? store::TriageRow{} : decisions.back();
  nlohmann::json json = finding;
  json.update(listed_finding_json(finding));
  json.update({{"signature", finding.signature.text},
               {"signature_hash", finding.signature.hash},
               {"issue", decision.issue},
               {"note", decision.note},
               {"draft", draft ? draft->body : ""},
               {"known", known_json(store.known.matches(finding.id))},
               {"versions", versions_json(store, finding)},
               {"merged_into", or_null(finding.merged_into)},
               {"tampered", store.findings.tampered(finding.id)}});
  return json;
}

nlohmann::json event_json(const store::EventRow& event) {
  nlohmann::json json = event;
  json["at"] = utc(event.at);
  return json;
}

nlohmann::json sandbox_json(const std::string& sandbox) {
  const auto parts = store::sandbox_parts(sandbox);
  return {{"level", parts.level}, {"on", parts.on}, {"off", parts.off}};
}

NotifyParts notify_parts(const Context& context) {
  return {
      .facts = [](const store::Store& store,
                  const store::FindingRow& finding) { return oracle::compact(finding_json(store, finding)) + "\n"; },
      .state = context.state_directory};
}

std::optional<std::string> text_of_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  return stream.good() || stream.eof() ? std::optional(std::move(text)) : std::nullopt;
}

void write_out(Context& context, const std::string& text, const std::string& file) {
  if (file.empty()) {
    context.out << text << std::flush;
    return;
  }
  const fs::path unfinished = file + ".new";
  {
    std::ofstream stream(unfinished, std::ios::binary);
    stream << text << std::flush;
    if (!stream) return context.fail(3, "parityd: {}: cannot be written; choose another path", unfinished.string());
  }
  std::error_code error;
  fs::rename(unfinished, file, error);
  if (error) context.fail(3, "parityd: {}: {}; choose another path", file, error.message());
}

void print_json(Context& context, const nlohmann::json& json) {
  context.out << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
}

std::string utc(store::Millis at) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::gmtime(static_cast<std::time_t>(at / 1000)));
}

std::string coloured(const oracle::Disposition& disposition, bool colour) {
  const Colour chosen = disposition.is_ready()                                  ? Colour::green
                        : disposition.klass == oracle::Disposition::Class::held ? Colour::dim
                                                                                : Colour::yellow;
  return coloured(disposition.text(), chosen, colour);
}

}  // namespace parityd::agent
