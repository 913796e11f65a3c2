#include "store/base/rows.h"

#include <nlohmann/json.hpp>

#include "oracle/json_read.h"

namespace parityd::store {

std::vector<Id> ids_from(Rows rows) {
  std::vector<Id> ids;
  while (rows.next()) rows.read(ids.emplace_back());
  return ids;
}

std::string names_to_json(const std::vector<std::string>& names) { return oracle::compact(nlohmann::json(names)); }

std::vector<std::string> names_from_json(const std::string& text) {
  const auto json = oracle::parsed(text);
  return json.is_array() ? json.get<std::vector<std::string>>() : std::vector<std::string>{};
}

StoredVerdict::StoredVerdict(const oracle::Verdict& from)
    : verdict(oracle::name(from.verdict)),
      rule(from.rule),
      explanation(from.explanation),
      leaves(names_to_json(from.leaves)) {
  if (from.kind) kind = std::string(oracle::name(*from.kind));
}

oracle::Verdict StoredVerdict::value() const {
  return {.verdict = oracle::from_name<oracle::VerdictKind>(verdict).value_or(oracle::VerdictKind::invalid),
          .kind = kind ? oracle::from_name<oracle::Kind>(*kind) : std::nullopt,
          .rule = rule,
          .explanation = explanation,
          .leaves = names_from_json(leaves)};
}

}  // namespace parityd::store
