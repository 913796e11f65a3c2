#include "oracle/finding/extent.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace parityd::oracle {
namespace {

using Names = std::vector<std::string>;

void add(Names& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

/// "a", "a and b", "a, b and c".
std::string listed(const Names& names, const std::string& last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool is_last = i + 1 == names.size();
    text += (i == 0 ? "" : is_last ? " " + last + " " : ", ") + names[i];
  }
  return text;
}

struct Sides {
  Names shown;
  Names not_shown;
};

/// A value tried more than once shows the finding if any of its variants does.
Sides sides(const std::vector<TriedVariant>& tried, Aspect aspect, const std::string& unit = {}) {
  Sides found;
  for (const auto& variant : tried) {
    if (variant.aspect == aspect && variant.unit == unit && variant.shows == true) add(found.shown, variant.value);
  }
  for (const auto& variant : tried) {
    const bool counts = variant.aspect == aspect && variant.unit == unit && variant.shows == false;
    if (counts && std::ranges::find(found.shown, variant.value) == found.shown.end())
      add(found.not_shown, variant.value);
  }
  return found;
}

/// A single name without anything to compare it with is the program's own, and not informative.
std::string of_names(const Sides& found) {
  if (found.shown.empty() || (found.shown.size() == 1 && found.not_shown.empty())) return {};
  const std::string others = found.not_shown.empty() ? " alike" : " (not " + listed(found.not_shown, "or") + ")";
  return listed(found.shown, "and") + others;
}

std::string of_devices(Sides found) {
  if (found.shown.empty()) return {};
  for (auto* names : {&found.shown, &found.not_shown}) {
    for (auto& name : *names)
      std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  }
  return listed(found.shown, "and") + (found.not_shown.empty() ? "" : " only");
}

std::vector<long> numbers(const Names& names) {
  std::vector<long> all;
  for (const auto& name : names) {
    long number = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), number).ec == std::errc()) all.push_back(number);
  }
  std::ranges::sort(all);
  return all;
}

Names texts(const std::vector<long>& numbers) {
  Names all;
  for (const long number : numbers) all.push_back(std::to_string(number));
  return all;
}

/// A bound if all sizes that show it are on one side of those that do not; else the sizes themselves. Empty if all
/// sizes show it.
std::string of_sizes(const Sides& found, const std::string& unit) {
  const auto shown = numbers(found.shown);
  const auto others = numbers(found.not_shown);
  if (shown.empty()) return {};
  if (others.empty()) return {};
  if (others.back() < shown.front())
    return "≥ " + std::to_string(shown.front()) + " " + unit + " (" + std::to_string(others.back()) + " do not)";
  if (shown.back() < others.front())
    return "≤ " + std::to_string(shown.back()) + " " + unit + " (" + std::to_string(others.front()) + " do not)";
  return listed(texts(shown), "and") + " " + unit + " (not " + listed(texts(others), "or") + ")";
}

/// If it shows with one thread and with several, the number of threads does not matter.
std::string of_threads(const Sides& found) {
  const auto shown = numbers(found.shown);
  const auto others = numbers(found.not_shown);
  if (shown.empty() || others.empty()) return {};
  if (others.back() < shown.front())
    return "≥ " + std::to_string(shown.front()) + " threads (not with " + listed(texts(others), "or") + ")";
  if (shown.back() == 1) return "one thread only";
  return listed(texts(shown), "and") + " threads (not with " + listed(texts(others), "or") + ")";
}

constexpr std::uint64_t kSeeds = 3;

}  // namespace

std::string extent(const std::vector<TriedVariant>& tried) {
  std::vector<std::string> parts;
  const auto say = [&](const std::string& part) {
    if (!part.empty()) parts.push_back(part);
  };
  say(of_names(sides(tried, Aspect::operators)));
  say(of_names(sides(tried, Aspect::dtypes)));
  say(of_devices(sides(tried, Aspect::devices)));
  Names units;
  for (const auto& variant : tried) {
    if (variant.aspect == Aspect::sizes) add(units, variant.unit);
  }
  for (const auto& unit : units) say(of_sizes(sides(tried, Aspect::sizes, unit), unit));
  say(of_threads(sides(tried, Aspect::threads)));
  if (const Sides modes = sides(tried, Aspect::modes); !modes.not_shown.empty()) say(of_names(modes));
  if (std::ranges::none_of(tried, [](const auto& variant) { return variant.shows == true; })) return {};
  std::string sentence;
  for (const auto& part : parts) sentence += (sentence.empty() ? "" : "; ") + part;
  return sentence;
}

std::vector<TriggerTrial> trigger_trials(bool has_settings) {
  std::vector<TriggerTrial> trials;
  for (const bool default_settings : {true, false}) {
    if (!default_settings && !has_settings) break;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) trials.push_back({seed, default_settings});
  }
  return trials;
}

bool shows(const Verdict& finding, const Verdict& trial, const Evidence& evidence) {
  return trial.verdict == VerdictKind::inconsistent && trial.kind == finding.kind && !evidence.inputs.edge();
}

std::optional<Trigger> trigger_after(const std::vector<bool>& shown, bool has_settings) {
  const std::vector<TriggerTrial> trials = trigger_trials(has_settings);
  const auto first = std::find(shown.begin(), shown.end(), true);
  if (first != shown.end()) {
    const auto index = static_cast<std::size_t>(first - shown.begin());
    return index < trials.size() && !trials[index].default_settings ? Trigger::config : Trigger::ordinary;
  }
  return shown.size() >= trials.size() ? std::optional(Trigger::edge) : std::nullopt;
}

}  // namespace parityd::oracle
