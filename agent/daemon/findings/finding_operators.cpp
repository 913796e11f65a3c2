#include "agent/daemon/findings/finding_operators.h"

#include <algorithm>

namespace parityd::agent {

std::string packet_of(std::string name) {
  name.erase(0, name.find('.') + 1);
  name.erase(std::min(name.find('.'), name.size()));
  return name;
}

std::optional<oracle::Neutraliser> blamed_operator(const store::FindingRow& finding) {
  auto blamed = oracle::neutralisers_from_line(finding.neutraliser);
  if (!blamed || blamed->size() != 1 || !oracle::names_operator(blamed->front())) return std::nullopt;
  blamed->front().name = packet_of(blamed->front().name);
  return blamed->front();
}

std::vector<std::string> operators_of(const store::FindingRow& finding) {
  if (const auto blamed = blamed_operator(finding)) return {blamed->name};
  std::vector<std::string> names;
  for (const std::string& name : finding.operators) names.push_back(packet_of(name));
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace parityd::agent
