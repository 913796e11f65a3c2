#include "store/work/coverage.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "oracle/json_read.h"
#include "store/base/connection.h"

namespace parityd::store {
namespace {

/// Names come from workers, where a hostile program may invent them; torch has some thousands.
constexpr std::int64_t kMostFeatures = 100'000;
constexpr std::size_t kMostOfProgram = 500;
constexpr std::size_t kLongestName = 200;

std::string kind_of(const std::string& feature) { return feature.substr(0, feature.find(':')); }

bool is_feature(const std::string& name) {
  return name.size() <= kLongestName && name.find(':') != std::string::npos && name.front() != ':';
}

/// The program's features that count and are not in `noted`, each once, as a map from name to kind.
nlohmann::json kinds_by_name(const std::vector<std::string>& features, const std::unordered_set<std::string>& noted) {
  nlohmann::json kinds = nlohmann::json::object();
  for (const std::string& feature : std::span(features).first(std::min(features.size(), kMostOfProgram))) {
    if (is_feature(feature) && !noted.contains(feature)) kinds[feature] = kind_of(feature);
  }
  return kinds;
}

}  // namespace

int Coverage::new_features(Id program) const {
  return connection_.query("read a program's features", "SELECT new_features FROM programs WHERE id = ?", program)
      .value<int>();
}

int Coverage::note(Id program, const std::vector<std::string>& features, Millis at) {
  if (noted_under_ != connection_.failed()) {
    noted_.clear();  // some may belong to the transaction that failed
    noted_under_ = connection_.failed();
  }
  nlohmann::json kinds = kinds_by_name(features, noted_);
  if (kinds.empty()) return 0;
  int added = 0;
  connection_.transaction([&] {
    if (connection_.query("count features", "SELECT coalesce(max(id), 0) FROM features").value<Id>() >= kMostFeatures) {
      return;
    }
    using Feature = std::pair<std::string, std::string>;  // name and kind
    const auto first =                                    // in a query of its own: nearly all were seen before
        connection_
            .query("look for new features",
                   "SELECT key, value FROM json_each(?) AS shown WHERE NOT EXISTS (SELECT 1 FROM features "
                   "WHERE name = shown.key AND first_program IS NOT NULL)",
                   oracle::compact(kinds))
            .all<Feature>(&Feature::first, &Feature::second);
    for (const auto& [name, kind] : first) kinds.erase(name);
    for (const auto& each : kinds.items()) noted_.insert(each.key());
    for (const auto& [name, kind] : first) {
      connection_.run(
          "note who was first",
          "INSERT INTO features (name, kind, listed, first_program, first_at) VALUES (?, ?, 0, ?, ?) ON CONFLICT "
          "(name) DO UPDATE SET first_program = excluded.first_program, first_at = excluded.first_at",
          name, kind, program, at);
    }
    added = static_cast<int>(first.size());
    if (added > 0) {
      connection_.run("note a program's features", "UPDATE programs SET new_features = ? WHERE id = ?", added, program);
    }
  });
  return added;
}

void Coverage::list(const std::vector<std::string>& features) {
  connection_.transaction([&] {
    for (const std::string& feature : features) {
      connection_.run("list a feature",
                      "INSERT INTO features (name, kind, listed) VALUES (?, ?, 1) "
                      "ON CONFLICT (name) DO UPDATE SET listed = 1 WHERE listed = 0",
                      feature, kind_of(feature));
    }
  });
}

std::vector<CoverageRow> Coverage::by_kind() const {
  return connection_
      .query("sum up coverage", "SELECT kind, reached, listed, reached_of_listed FROM v_coverage ORDER BY kind")
      .all<CoverageRow>(&CoverageRow::kind, &CoverageRow::reached, &CoverageRow::listed,
                        &CoverageRow::reached_of_listed);
}

std::vector<std::string> Coverage::never_reached(const std::string& kind) const {
  return connection_
      .query("list what was never reached",
             "SELECT name FROM features WHERE kind = ? AND first_program IS NULL ORDER BY name", kind)
      .all<std::string>();
}

std::vector<Id> Coverage::first_programs() const {
  return connection_
      .query("list who showed features first",
             "SELECT first_program FROM features WHERE first_program IS NOT NULL ORDER BY 1")
      .all<Id>();
}

std::vector<CoverageSourceRow> Coverage::by_source() const {
  return connection_
      .query("sum up who showed features first",
             "SELECT origin, strategy, count(*), sum(new_features > 0), sum(new_features) FROM programs "
             "WHERE verdict IS NOT NULL GROUP BY origin, strategy ORDER BY sum(new_features) DESC, 1, 2")
      .all<CoverageSourceRow>(&CoverageSourceRow::origin, &CoverageSourceRow::strategy, &CoverageSourceRow::programs,
                              &CoverageSourceRow::with_new, &CoverageSourceRow::features);
}

}  // namespace parityd::store
