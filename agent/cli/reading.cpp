#include "agent/cli/reading.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/cli/table.h"
#include "agent/daemon/program/recheck.h"
#include "oracle/json_read.h"
#include "store/findings/version_range.h"
#include "store/report/sandbox_text.h"

namespace parityd::agent {
namespace fs = std::filesystem;

std::unique_ptr<store::Store> open_for_reading(const Context& context) {
  if (!fs::exists(context.database())) return nullptr;
  return std::make_unique<store::Store>(context.database(), store::Access::read);
}

std::string no_database_message(const Context& context) {
  return fmt::format(
      "parityd: {}: there is no database yet; `parityd run` makes one, --state DIR names another folder\n",
      context.database().string());
}

void with_finding(Context& context, store::Id id,
                  const std::function<void(const store::Store&, const store::FindingRow&)>& use) {
  const auto store = open_for_reading(context);
  if (!store) {
    context.err << no_database_message(context);
    context.exit_code = 1;
    return;
  }
  const auto finding = store->findings.find(id);
  if (!finding) {
    context.err << fmt::format("parityd: {}: no finding {}; `parityd findings` lists them\n",
                               context.database().string(), id);
    context.exit_code = 1;
    return;
  }
  use(*store, *finding);
}

bool is_tampered(Context& context, const store::Store& store, store::Id finding) {
  const auto changed = store.findings.tampered(finding);
  if (changed.empty()) return false;
  context.err << fmt::format(
      "parityd: finding {} is not valid: its hash says that {} is not what was stored. Restore a backup, or have its "
      "program judged anew: docs/storage.md\n",
      finding, fmt::join(changed, ", "));
  context.exit_code = 3;
  return true;
}

nlohmann::json known_json(const std::vector<store::KnownMatch>& matches) {
  auto array = nlohmann::json::array();
  for (const auto& match : matches) {
    array.push_back({{"issue", match.issue},
                     {"url", fmt::format("https://github.com/pytorch/pytorch/issues/{}", match.issue)},
                     {"state", match.state},
                     {"confidence", match.confident ? "confident" : "possible"},
                     {"reason", match.reason}});
  }
  return array;
}

nlohmann::json versions_json(const store::Store& store, const store::FindingRow& finding) {
  const auto rechecks = store.rechecks.of(finding.id);
  const auto tried = store::torches_tried(finding, rechecks);
  const auto range = store::version_range(finding, tried);
  auto rows = nlohmann::json::array();
  for (const auto& row : rechecks) rows.push_back(recheck_json(row));
  return {{"rechecks", std::move(rows)},
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

nlohmann::json finding_json(const store::Store& store, const store::FindingRow& finding) {
  const auto draft = store.drafts.find(finding.id);
  const auto decisions = store.triage.of(finding.id);
  const auto decision = decisions.empty() ? store::TriageRow{} : decisions.back();
  return {{"id", finding.id},
          {"kind", oracle::name(finding.kind)},
          {"stage", oracle::name(finding.stage)},
          {"signature", finding.signature.text},
          {"signature_hash", finding.signature.hash},
          {"statements_before", finding.statements_before},
          {"statements", finding.statements},
          {"neutraliser", finding.neutraliser},
          {"workaround", finding.workaround},
          {"extent", finding.extent},
          {"status", finding.status},
          {"issue", decision.issue},
          {"note", decision.note},
          {"disposition", finding.disposition.text()},
          {"severity", finding.disposition.severity},
          {"reach", oracle::name(finding.reach)},
          {"side", oracle::name(finding.side)},
          {"title", finding.title},
          {"explanation", finding.explanation},
          {"reduced", finding.reduced},
          {"draft", draft ? draft->body : ""},
          {"known", known_json(store.known.matches(finding.id))},
          {"occurrences", finding.occurrences},
          {"hits", finding.hits},
          {"rounds", finding.rounds},
          {"program", finding.program},
          {"operators", finding.operators},
          {"dtypes", finding.dtypes},
          {"torch", finding.torch},
          {"versions", versions_json(store, finding)},
          {"device", finding.device},
          {"merged_into", finding.merged_into ? nlohmann::json(*finding.merged_into) : nlohmann::json(nullptr)},
          {"alarm", finding.alarm},
          {"tampered", store.findings.tampered(finding.id)},
          {"next_step", finding.next_step},
          {"why", finding.why},
          {"created_at", utc(finding.created_at)}};
}

nlohmann::json sandbox_json(const std::string& sandbox) {
  const auto parts = store::sandbox_parts(sandbox);
  return {{"level", parts.level}, {"on", parts.on}, {"off", parts.off}};
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
    if (!stream) {
      context.err << fmt::format("parityd: {}: cannot be written; name another place\n", unfinished.string());
      context.exit_code = 3;
      return;
    }
  }
  std::error_code error;
  fs::rename(unfinished, file, error);
  if (error) {
    context.err << fmt::format("parityd: {}: {}; name another place\n", file, error.message());
    context.exit_code = 3;
  }
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
