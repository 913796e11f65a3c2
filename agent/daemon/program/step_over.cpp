#include "agent/daemon/program/step_over.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "agent/daemon/program/draw_seed.h"
#include "store/base/operator_names.h"

namespace parityd::agent {
namespace {

constexpr std::size_t kMostFindings = 3;  // findings at once; with more, little of the compiler would be left to test
/// Weight of a finding made only of common operators, as if it shared this much with every program.
constexpr double kOfAnyProgram = 0.1;

std::set<std::string> families_called(const std::string& program) {
  std::set<std::string> families;
  for (const auto& name : store::called_names(program)) families.insert(store::operator_family(name));
  return families;
}

/// The share of a finding's characteristic operators that the program calls.
double share_called(const std::set<std::string>& finding, const std::set<std::string>& program) {
  if (finding.empty()) return kOfAnyProgram;
  const auto common =
      std::count_if(finding.begin(), finding.end(), [&](const auto& family) { return program.contains(family); });
  return static_cast<double>(common) / static_cast<double>(finding.size());
}

/// Adds them unless one conflicts with a setting already made.
void add_unless_clashing(std::vector<oracle::Neutraliser>& all, const std::vector<oracle::Neutraliser>& more) {
  const auto clashes = [&](const oracle::Neutraliser& each) {
    return std::any_of(all.begin(), all.end(), [&](const auto& other) {
      return other.kind == each.kind && other.name == each.name && other.value != each.value;
    });
  };
  if (std::any_of(more.begin(), more.end(), clashes)) return;
  for (const auto& each : more) {
    if (std::find(all.begin(), all.end(), each) == all.end()) all.push_back(each);
  }
}

}  // namespace

void StepOver::set_findings(const std::vector<store::FindingRow>& findings) {
  known_.clear();
  for (const auto& finding : findings) {
    auto neutralisers = oracle::neutralisers_from_line(finding.neutraliser);
    if (finding.neutraliser.empty() || !neutralisers || finding.merged_into ||
        finding.status == store::FindingStatus::fixed)
      continue;
    Known& known = known_.emplace_back();
    known.neutralisers = std::move(*neutralisers);
    known.device = finding.device;
    known.programs = static_cast<double>(std::max<store::Id>(1, finding.occurrences));
    for (const auto& name : finding.operators) {
      if (!store::is_common_operator(store::brief_operator(name))) known.families.insert(store::operator_family(name));
    }
  }
}

std::vector<oracle::Neutraliser> StepOver::choose(const std::string& program, const std::string& device,
                                                  std::uint64_t seed) const {
  std::mt19937_64 random(draw_seed(1, seed));
  std::uniform_real_distribution<double> uniform(0, 1);
  if (known_.empty() || uniform(random) >= share_) return {};
  const auto called = families_called(program);
  std::vector<std::pair<double, const Known*>> drawn;
  for (const Known& known : known_) {
    const double weight = known.programs * (known.device == device ? share_called(known.families, called) : 0);
    // Weighted sampling without replacement: the highest keys (Efraimidis and Spirakis 2006).
    if (weight > 0) drawn.emplace_back(std::pow(uniform(random), 1 / weight), &known);
  }
  std::stable_sort(drawn.begin(), drawn.end(),
                   [](const auto& one, const auto& other) { return one.first > other.first; });
  std::vector<oracle::Neutraliser> chosen;
  for (std::size_t at = 0; at < std::min(kMostFindings, drawn.size()); ++at)
    add_unless_clashing(chosen, drawn[at].second->neutralisers);
  return chosen;
}

}  // namespace parityd::agent
