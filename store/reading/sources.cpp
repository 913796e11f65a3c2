#include "store/reading/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <sstream>

#include "oracle/json_read.h"
#include "store/base/connection.h"
#include "store/base/content.h"

namespace parityd::store {
namespace {

using nlohmann::json;

constexpr const char* kInUse = "sources_in_use";  // two ids

std::string facts_of(const SourceUnitRow& unit) {
  const json facts = {{"registers", unit.registers}, {"operators", unit.operators}, {"calls", unit.calls}};
  return oracle::compact(facts);
}

void read_facts(const std::string& text, SourceUnitRow& unit) {
  const json facts = json::parse(text);
  facts.at("registers").get_to(unit.registers);
  facts.at("operators").get_to(unit.operators);
  facts.at("calls").get_to(unit.calls);
}

constexpr const char* kUnits =
    "SELECT u.file, u.name, u.area, u.first_line, u.code, u.facts, u.trivial, u.text, t.characters, t.lines "
    "FROM source_units u JOIN source_texts t ON t.hash = u.text ";

SourceUnitRow unit_from(Rows& rows) {
  SourceUnitRow row;
  std::string facts;
  rows.read(row.file, row.name, row.area, row.first_line, row.code, facts, row.trivial, row.text_hash, row.characters,
            row.lines);
  read_facts(facts, row);
  return row;
}

}  // namespace

std::optional<SourceTorchRow> last_read(const std::vector<SourceTorchRow>& rows, std::optional<Id> before) {
  const auto found = std::find_if(rows.rbegin(), rows.rend(), [&](const SourceTorchRow& row) {
    return !row.fingerprint.empty() && (!before || row.id < *before);
  });
  return found == rows.rend() ? std::nullopt : std::optional(*found);
}

void Sources::set_in_use(Id torch, std::optional<Id> before) {
  values_.set(kInUse, fmt::format("{} {}", torch, before.value_or(0)));
}

std::optional<SourcesInUse> Sources::in_use() const {
  const auto rows = torches();
  const auto row_of = [&](Id id) {
    const auto found = std::ranges::find(rows, id, &SourceTorchRow::id);
    return found == rows.end() ? std::nullopt : std::optional(*found);
  };
  std::istringstream chosen(values_.find(kInUse).value_or(""));
  Id torch = 0;
  Id before = 0;
  if (chosen >> torch >> before; row_of(torch)) return SourcesInUse{.torch = *row_of(torch), .before = row_of(before)};
  const auto last = last_read(rows);
  if (!last) return std::nullopt;
  return SourcesInUse{.torch = *last, .before = last_read(rows, last->id)};
}

Id Sources::torch_id(const std::string& torch, Millis at) {
  connection_.run("note a torch's sources",
                  "INSERT INTO source_torches (torch, fingerprint, first_at, read_at) VALUES (?, '', ?, ?) "
                  "ON CONFLICT (torch) DO NOTHING",
                  torch, at, at);
  return connection_.query("look for a torch's sources", "SELECT id FROM source_torches WHERE torch = ?", torch)
      .value<Id>();
}

std::vector<SourceTorchRow> Sources::torches() const {
  return connection_
      .query("list the torches that were read",
             "SELECT id, torch, fingerprint, first_at, read_at FROM source_torches ORDER BY id")
      .all<SourceTorchRow>(&SourceTorchRow::id, &SourceTorchRow::torch, &SourceTorchRow::fingerprint,
                           &SourceTorchRow::first_at, &SourceTorchRow::read_at);
}

void Sources::put_file(Id torch, const std::string& file, const std::vector<SourceUnitRow>& units) {
  connection_.transaction([&] {
    connection_.run("forget a file's units", "DELETE FROM source_units WHERE torch = ? AND file = ?", torch, file);
    for (const SourceUnitRow& unit : units) {
      const std::string hash = content_hash(unit.text);
      connection_.run(
          "keep a unit's text",
          "INSERT INTO source_texts (hash, characters, lines, text) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", hash,
          static_cast<std::int64_t>(unit.text.size()),
          static_cast<std::int64_t>(std::count(unit.text.begin(), unit.text.end(), '\n')), Blob{compressed(unit.text)});
      connection_.run(
          "keep a unit",
          "INSERT INTO source_units (torch, file, name, first_line, area, text, code, facts, trivial) VALUES "
          "(?, ?, ?, ?, ?, ?, ?, ?, ?)",
          torch, file, unit.name, unit.first_line, unit.area, hash, unit.code, facts_of(unit), unit.trivial);
    }
  });
}

void Sources::end_reading(Id torch, const std::string& fingerprint, const std::vector<std::string>& files, Millis at) {
  connection_.transaction([&] {
    connection_.run("forget files that are gone",
                    "DELETE FROM source_units WHERE torch = ? AND file NOT IN (SELECT value FROM json_each(?))", torch,
                    json(files).dump());
    connection_.run("forget texts that no unit has",
                    "DELETE FROM source_texts WHERE NOT EXISTS (SELECT 1 FROM source_units u WHERE u.text = hash)");
    connection_.run("end reading a torch", "UPDATE source_torches SET fingerprint = ?, read_at = ? WHERE id = ?",
                    fingerprint, at, torch);
  });
}

std::vector<SourceUnitRow> Sources::units(Id torch) const {
  static const std::string sql = std::string(kUnits) + "WHERE u.torch = ? ORDER BY u.file, u.first_line, u.name";
  return connection_.query("read a torch's units", sql.c_str(), torch).each(unit_from);
}

std::vector<SourceUnitRow> Sources::units_of(const std::string& torch, const std::string& file) const {
  static const std::string sql =
      std::string(kUnits) +
      "WHERE u.torch = (SELECT id FROM source_torches WHERE torch = ?) AND u.file = ? ORDER BY u.first_line, u.name";
  return connection_.query("read a file's units", sql.c_str(), torch, file).each(unit_from);
}

std::string Sources::text(const std::string& hash) const {
  const auto text =
      connection_.query("read a unit's text", "SELECT text FROM source_texts WHERE hash = ?", hash).one<Blob>();
  return text ? decompressed(text->bytes) : std::string();
}

void Sources::put_promise(Id torch, const std::string& operator_name, const std::string& promise) {
  connection_.run("keep what eager promises",
                  "INSERT INTO source_promises (torch, operator, promise) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET "
                  "promise = excluded.promise",
                  torch, operator_name, Blob{compressed(promise)});
}

std::string Sources::promise(Id torch, const std::string& operator_name) const {
  const auto promise =
      connection_
          .query("read what eager promises", "SELECT promise FROM source_promises WHERE torch = ? AND operator = ?",
                 torch, operator_name)
          .one<Blob>();
  return promise ? decompressed(promise->bytes) : std::string();
}

}  // namespace parityd::store
