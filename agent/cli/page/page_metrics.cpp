// Lifetime totals come from the database and continue over restarts. Labels never contain text of programs or models.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "agent/cli/page/page_views.h"
#include "agent/cli/reports/statistics.h"
#include "agent/daemon/supply/booking.h"
#include "executor/pool/worker_seconds.h"

namespace parityd::agent {
namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

/// Writes Prometheus' text format: a family's help and type, then its series.
class MetricsText {
 public:
  void family(const char* name, const char* type, const char* help) {
    name_ = name;
    text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }
  template <class Number>
  void series(Number value, const Labels& labels = {}) {
    text_ += name_;
    for (std::size_t index = 0; index < labels.size(); ++index) {
      text_ += fmt::format("{}{}=\"{}\"", index == 0 ? "{" : ",", labels[index].first, escaped(labels[index].second));
    }
    text_ += fmt::format("{} {}\n", labels.empty() ? "" : "}", value);
  }
  template <class Number>
  void one(const char* name, const char* type, const char* help, Number value) {
    family(name, type, help);
    series(value);
  }
  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  static std::string escaped(const std::string& value) {
    std::string result;
    for (const char each : value) {
      if (each == '\n') {
        result += "\\n";
        continue;
      }
      if (each == '"' || each == '\\') result += '\\';
      result += each;
    }
    return result;
  }

  std::string name_, text_;
};

Labels labels_of(store::EventKind kind) {
  const auto& described = description(kind);
  return {{"kind", std::string(described.name)}, {"level", std::string(name(described.severity))}};
}

double dollars_in(std::int64_t nano) { return static_cast<double>(nano) / 1e9; }

void add_programs(MetricsText& out, const store::Counts& counts) {
  out.one("parityd_programs_total", "counter", "Programs received, repairs not counted.", counts.programs);
  out.one("parityd_programs_valid_total", "counter", "Programs that ran, at once or after repair.", counts.valid);
  out.one("parityd_programs_repaired_total", "counter", "Programs that ran after repair.", counts.repaired);
  out.family("parityd_verdicts", "gauge", "Programs by their last verdict, repairs not counted.");
  for (const auto& [verdict, number] :
       std::vector<std::pair<std::string, std::int64_t>>{{"consistent", counts.consistent},
                                                         {"invalid", counts.invalid},
                                                         {"inconsistent", counts.inconsistent},
                                                         {"excused", counts.excused},
                                                         {"unstable", counts.unstable}}) {
    out.series(number, {{"verdict", verdict}});
  }
  out.family("parityd_programs_waiting", "gauge", "Programs by what they are waiting for.");
  out.series(counts.queued, {{"state", "queued"}});
  out.series(counts.repairing, {{"state", "repairing"}});
  out.series(counts.confirming, {{"state", "confirming"}});
  out.one("parityd_suspects_total", "counter", "Programs that were suspects at any time.", counts.suspects);
  out.one("parityd_state_dependent_total", "counter", "Differences seen only by warm workers.", counts.state_dependent);
  out.one("parityd_harness_failures_total", "counter", "Failures of parityd itself; never findings.",
          counts.harness_failures);
}

void add_findings(MetricsText& out, const store::Store& store, const store::Counts& counts) {
  std::map<std::pair<std::string, std::string>, std::int64_t> findings;
  for (const auto disposition : names(oracle::Disposition::Class{})) {
    for (const auto status : names(store::FindingStatus{}))
      findings[{std::string(disposition), std::string(status)}] = 0;
  }
  for (const auto& row : store.tally.findings()) {
    findings[{std::string(name(row.disposition)), std::string(name(row.status))}] += row.findings;
  }
  out.family("parityd_findings", "gauge", "Findings; a merged one counts as the one it was merged into.");
  for (const auto& [key, number] : findings) out.series(number, {{"disposition", key.first}, {"status", key.second}});
  out.one("parityd_occurrences", "gauge", "Programs that show a finding.", counts.occurrences);
}

void add_model(MetricsText& out, const store::Store& store, const store::Counts& counts, const Caps& caps,
               store::Millis now) {
  out.one("parityd_replies_total", "counter", "Requests to language models.", counts.replies);
  out.one("parityd_replies_failed_total", "counter", "Requests without an answer.", counts.failed_replies);
  out.family("parityd_tokens_total", "counter", "Tokens by direction.");
  out.series(counts.prompt_tokens, {{"kind", "prompt"}});
  out.series(counts.completion_tokens, {{"kind", "completion"}});
  out.family("parityd_spent_dollars", "gauge",
             "Dollars charged, reservations included: in the last hour, since midnight UTC, in total.");
  out.series(dollars_in(spent_since(store, now - store::kHour)), {{"window", "hour"}});
  out.series(dollars_in(spent_since(store, start_of_day(now))), {{"window", "day"}});
  out.series(dollars_in(spent_since(store, 0)), {{"window", "total"}});
  out.family("parityd_budget_dollars", "gauge", "Configured caps; +Inf if there is none.");
  for (const auto& [window, cap] : std::vector<std::pair<std::string, std::optional<std::int64_t>>>{
           {"hour", caps.hour}, {"day", caps.day}, {"total", caps.total}}) {
    out.series(cap ? fmt::format("{}", dollars_in(*cap)) : "+Inf", {{"window", window}});
  }
}

void add_workers(MetricsText& out, const store::Store& store, const std::vector<std::string>& groups) {
  std::map<std::pair<std::string, std::string>, double> seconds;
  for (const auto& group : groups) {
    for (std::size_t index = 0; index < executor::kOccupations; ++index) {
      seconds[{group, std::string(name(static_cast<executor::Occupation>(index)))}] = 0;
    }
  }
  for (const auto& row : store.workers.seconds(0)) seconds[{row.group, row.occupation}] = row.seconds;
  out.family("parityd_worker_seconds_total", "counter", "Worker seconds by activity.");
  for (const auto& [key, value] : seconds) out.series(value, {{"group", key.first}, {"occupation", key.second}});
}

void add_alarms(MetricsText& out, const store::Store& store, store::Millis now) {
  std::map<store::EventKind, std::pair<std::int64_t, bool>> kinds;  // total count; whether it is active now
  for (const auto& kind : store::event_kinds()) kinds[kind.kind] = {0, false};
  for (const auto& row : store.alarms.all()) {
    auto& [times, current] = kinds[row.kind];
    times += row.times;
    current = current || is_current(row, now);
  }
  out.family("parityd_faults_total", "counter", "Faults by name; see docs/troubleshooting.md.");
  for (const auto& [kind, of] : kinds) out.series(of.first, labels_of(kind));
  out.family("parityd_alarm", "gauge", "Whether the fault holds now or happened within a day.");
  for (const auto& [kind, of] : kinds) out.series(of.second ? 1 : 0, labels_of(kind));
}

std::uintmax_t database_bytes(const std::filesystem::path& file) {
  std::uintmax_t bytes = 0;
  for (const char* suffix : {"", "-wal"}) {
    std::error_code error;
    const auto size = std::filesystem::file_size(file.string() + suffix, error);
    bytes += error ? 0 : size;
  }
  return bytes;
}

}  // namespace

std::string metrics_text(const store::Store& store, const PageFacts& facts, store::Millis now) {
  MetricsText out;
  out.family("parityd_info", "gauge", "Versions in use.");
  out.series(1, {{"version", facts.version}});
  out.one("parityd_start_time_seconds", "gauge", "Unix time when the daemon was started.",
          static_cast<double>(facts.started) / 1000);
  const auto counts = store.tally.all();
  add_programs(out, counts);
  add_findings(out, store, counts);
  add_model(out, store, counts, facts.settings->values().caps, now);
  add_workers(out, store, facts.groups);
  add_alarms(out, store, now);
  std::int64_t features = 0;
  for (const auto& row : store.coverage.by_kind()) features += row.reached;
  out.one("parityd_features_reached", "gauge", "Compiler features reached at least once.", features);
  out.one("parityd_requests_waiting", "gauge", "Requests waiting for the daemon.", store.requests.waiting());
  out.one("parityd_known_issues", "gauge", "Issues in the table of known issues.", store.known.issues().size());
  out.one("parityd_known_issues_timestamp_seconds", "gauge", "Unix time of that table's data; 0: never.",
          static_cast<double>(store.known.gathered_at().value_or(0)) / 1000);
  out.one("parityd_database_bytes", "gauge", "Size of the database with its write-ahead log.",
          database_bytes(facts.database));
  return std::move(out).text();
}

}  // namespace parityd::agent
