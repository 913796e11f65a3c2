#include "oracle/measure/otherwise.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "oracle/measure/elements.h"
#include "oracle/measure/layout.h"
#include "oracle/measure/totals.h"

namespace parityd::oracle {
namespace {

using Values = std::vector<double>;

constexpr double kMostCounted = 4096;  // signs in one number; bits seen as an integer are farther apart

std::optional<Values> value_of_python(const Leaf& leaf) {
  if (leaf.type == "bool") return Values{leaf.value == "True" ? 1.0 : 0.0};
  std::int64_t value = 0;
  const auto read = std::from_chars(leaf.value.data(), leaf.value.data() + leaf.value.size(), value);
  if (leaf.type != "int" || read.ec != std::errc{}) return std::nullopt;
  return Values{static_cast<double>(value)};
}

/// All elements in index order, complex ones as two; a Python int or bool as one. Doubles suffice: a difference that
/// they cannot hold is wide in any case. nullopt: other Python values, or memory that cannot be read.
std::optional<Values> values_of(const RunRecord& record, const Leaf& leaf) {
  if (!leaf.is_tensor) return value_of_python(leaf);
  if (leaf.storage < 0 || leaf.conjugate || leaf.negative || !layout::fault(leaf, record.storages).empty())
    return std::nullopt;
  const StorageView& storage = record.storages[static_cast<std::size_t>(leaf.storage)];
  if (storage.on_device) return std::nullopt;
  const Dtype component = elements::component(leaf.dtype);
  const auto size = static_cast<std::int64_t>(element_size(component));
  const std::int64_t components = is_complex(leaf.dtype) ? 2 : 1;
  const auto count = static_cast<std::size_t>(layout::element_count(leaf) * components);
  Values values;
  values.reserve(count);
  std::vector<std::int64_t> index(leaf.shape.size(), 0);
  elements::with_loader(component, [&](auto loader) {
    std::int64_t at = leaf.offset;
    while (values.size() < count) {
      for (std::int64_t part = 0; part < components; ++part) {
        const std::byte* const from = storage.data + (at * components + part) * size;
        values.push_back(static_cast<double>(decltype(loader)::load(from)));
      }
      for (std::size_t i = index.size(); i-- > 0;) {
        at += leaf.stride[i];
        if (++index[i] < leaf.shape[i]) break;
        at -= leaf.stride[i] * leaf.shape[i];
        index[i] = 0;
      }
    }
  });
  return values;
}

/// The result of one run of eager_otherwise for the leaf.
struct Drawn {
  const Leaf* leaf;
  std::optional<Values> values;
};

/// A leaf in the three records.
struct Asked {
  const Leaf& eager;
  const Leaf& compiled;
  std::optional<Values> expected, actual;
  std::vector<Drawn> drawn;
};

/// The number in `zero[3].output[0]` if that is a run of `kind` and the leaf `path`; otherwise -1.
int run_of(std::string_view recorded, Otherwise kind, std::string_view path) {
  const std::string start = std::string(name(kind)) + "[";
  if (!recorded.starts_with(start)) return -1;
  const auto end = recorded.find("].", start.size());
  if (end == std::string_view::npos || (!path.empty() && recorded.substr(end + 2) != path)) return -1;
  int number = 0;
  for (const char digit : recorded.substr(start.size(), end - start.size())) {
    if (digit < '0' || digit > '9' || number > 9999) return -1;
    number = number * 10 + (digit - '0');
  }
  return number;
}

bool agrees(double one, double other, Dtype dtype) {
  if (one == other || (std::isnan(one) && std::isnan(other))) return true;
  if (is_exact(dtype) || !std::isfinite(one) || !std::isfinite(other)) return false;
  return std::fabs(one - other) <= allowed_by(default_tolerance(dtype), std::max(std::fabs(one), std::fabs(other)));
}

bool same_facts(const Leaf& one, const Leaf& other) {
  return one.is_tensor == other.is_tensor && one.type == other.type && one.requires_grad == other.requires_grad &&
         (!one.is_tensor || (one.dtype == other.dtype && one.shape == other.shape));
}

/// Whether the run gave the whole leaf as compiled code does.
bool is_whole(const Asked& asked, const Drawn& drawn) {
  if (!same_facts(*drawn.leaf, asked.compiled)) return false;
  if (!asked.actual || !drawn.values) return !asked.compiled.is_tensor && drawn.leaf->value == asked.compiled.value;
  if (drawn.values->size() != asked.actual->size()) return false;
  for (std::size_t i = 0; i < asked.actual->size(); ++i) {
    if (!agrees((*asked.actual)[i], (*drawn.values)[i], asked.compiled.dtype)) return false;
  }
  return true;
}

bool between(const Asked& asked, std::size_t element) {
  double low = (*asked.expected)[element];
  double high = low;
  for (const Drawn& drawn : asked.drawn) {
    if (!drawn.values || drawn.values->size() != asked.expected->size()) continue;
    low = std::min(low, (*drawn.values)[element]);
    high = std::max(high, (*drawn.values)[element]);
  }
  return high - low <= kMostCounted && low <= (*asked.actual)[element] && (*asked.actual)[element] <= high;
}

/// Every element that differs equals the result of some run.
bool by_elements(const Asked& asked) {
  if (!same_facts(asked.eager, asked.compiled) || !asked.expected || !asked.actual) return false;
  const Dtype dtype = asked.compiled.dtype;
  for (std::size_t i = 0; i < asked.actual->size(); ++i) {
    const double actual = (*asked.actual)[i];
    const auto gives = [&](const Drawn& drawn) {
      return same_facts(*drawn.leaf, asked.compiled) && drawn.values && agrees((*drawn.values)[i], actual, dtype);
    };
    if (agrees((*asked.expected)[i], actual, dtype)) continue;
    if (std::any_of(asked.drawn.begin(), asked.drawn.end(), gives)) continue;
    if (!is_exact(dtype) || !between(asked, i)) return false;
  }
  return true;
}

/// Some run moves every element that differs, to any value.
bool is_moved(const Asked& asked) {
  return std::any_of(asked.drawn.begin(), asked.drawn.end(), [&](const Drawn& drawn) {
    if (!same_facts(*drawn.leaf, asked.eager)) return true;
    if (!drawn.values || !asked.expected) return drawn.leaf->value != asked.eager.value;
    if (!asked.actual || !same_facts(asked.eager, asked.compiled)) return false;
    for (std::size_t i = 0; i < asked.actual->size(); ++i) {
      const double expected = (*asked.expected)[i];
      if (!agrees(expected, (*asked.actual)[i], asked.eager.dtype) && (*drawn.values)[i] == expected) return false;
    }
    return true;
  });
}

Asked ask(const RunRecord& eager, const Leaf& one, const RunRecord& compiled, const Leaf& other) {
  return {one, other, values_of(eager, one), values_of(compiled, other), {}};
}

bool explains(Otherwise kind, const Asked& asked) {
  const auto whole = [&](const Drawn& drawn) { return is_whole(asked, drawn); };
  if (asked.drawn.empty()) return false;
  if (kind == Otherwise::stack) return is_moved(asked);
  if (std::any_of(asked.drawn.begin(), asked.drawn.end(), whole)) return true;
  return by_elements(asked);
}

using Chosen = std::vector<Measurement>;

/// Compiled code against each of the runs in which that was chosen.
Chosen runs_of(const RunRecord& compiled, const RunRecord& otherwise, Otherwise kind) {
  std::map<int, RunRecord> runs;
  for (const Leaf& leaf : otherwise.leaves) {
    const int number = run_of(leaf.path, kind, "");
    if (number < 0) continue;
    RunRecord& run = runs[number];
    run.mode = otherwise.mode;
    run.storages = otherwise.storages;
    run.leaves.push_back(leaf);
    run.leaves.back().path = leaf.path.substr(leaf.path.find("].") + 2);
  }
  Chosen chosen;
  for (const auto& [number, run] : runs) chosen.push_back(compare(run, compiled));
  return chosen;
}

/// Whether such a run gave the leaf as compiled code does; a leaf missing on both sides counts, too.
bool is_given(const LeafMeasurement& leaf, const Measurement& run) {
  const LeafMeasurement* const found = run.find(leaf.path);
  if (found == nullptr) return leaf.missing;
  const bool facts = found->missing || found->type_differs || found->dtype_differs || found->shape_differs ||
                     found->requires_grad_differs || found->values_differ();
  return !facts && !(leaf.alias_differs && found->alias_differs) && !(leaf.stride_differs && found->stride_differs);
}

void look(LeafMeasurement& leaf, const RunRecord& eager, const RunRecord& compiled, const RunRecord& otherwise,
          const std::map<Otherwise, Chosen>& chosen) {
  for (const auto& [kind, runs] : chosen) {
    if (std::ranges::none_of(runs, [&](const Measurement& run) { return is_given(leaf, run); })) continue;
    leaf.otherwise = kind;
    return;
  }
  const Leaf* const one = eager.find(leaf.path);
  const Leaf* const other = compiled.find(leaf.path);
  if (one == nullptr || other == nullptr) return;
  Asked asked = ask(eager, *one, compiled, *other);
  for (const Otherwise kind : {Otherwise::stack, Otherwise::nan, Otherwise::zero}) {
    asked.drawn.clear();
    for (const Leaf& drawn : otherwise.leaves) {
      if (run_of(drawn.path, kind, leaf.path) >= 0) asked.drawn.push_back({&drawn, values_of(otherwise, drawn)});
    }
    if (!explains(kind, asked)) continue;
    leaf.otherwise = kind;
    return;
  }
}

constexpr double kFartherThanNoise = 2;
constexpr double kLeap = 64;  // last places; noise itself moves values by up to 16

/// NaN and infinities are infinitely far from anything else.
double apart(double one, double other) {
  if (one == other || (std::isnan(one) && std::isnan(other))) return 0;
  const double distance = std::fabs(one - other);
  return std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance;
}

/// For floating values: how many differ by more than their tolerance and are not moved as far by noise that makes them
/// leap. If noise moves a value by a few last places, or through cancellation, it proves nothing about a difference of
/// that size.
std::int64_t beyond_leaps(const Values& eager, const Values& compiled, const Values& noise,
                          const LeafMeasurement& leaf) {
  const Tolerance tolerance = default_tolerance(leaf.dtype);
  std::int64_t count = 0;
  for (std::size_t i = 0; i < eager.size(); ++i) {
    const double size = std::fmax(std::fabs(eager[i]), leaf.rms_expected);
    const double difference = apart(compiled[i], eager[i]);
    if (difference <= allowed_by(tolerance, std::fmax(std::fabs(eager[i]), std::fabs(compiled[i])))) continue;
    const double moved = apart(noise[i], eager[i]);
    if (moved <= kLeap * epsilon(leaf.dtype) * size || difference > kFartherThanNoise * moved) ++count;
  }
  return count;
}

std::int64_t beyond(const Values& eager, const Values& compiled, const Values& noise) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < eager.size(); ++i) {
    const double difference = std::fabs(compiled[i] - eager[i]);
    if (difference > kFartherThanNoise * std::fabs(noise[i] - eager[i])) ++count;
  }
  return count;
}

}  // namespace

void find_otherwise(Measurement& measured, const RunRecord& eager, const RunRecord& compiled,
                    const RunRecord& otherwise) {
  std::map<Otherwise, Chosen> chosen;
  for (const Otherwise kind : {Otherwise::told, Otherwise::kept}) chosen[kind] = runs_of(compiled, otherwise, kind);
  for (LeafMeasurement& leaf : measured.leaves) {
    if (leaf.group != LeafGroup::input && (leaf.metadata_differs() || leaf.unequal > 0))
      look(leaf, eager, compiled, otherwise, chosen);
  }
}

void count_beyond_noise(Measurement& measured, const RunRecord& eager, const RunRecord& compiled,
                        const RunRecord& noise) {
  for (LeafMeasurement& leaf : measured.leaves) {
    if (leaf.unequal == 0) continue;
    const Leaf* const one = eager.find(leaf.path);
    const Leaf* const other = compiled.find(leaf.path);
    const Leaf* const drawn = noise.find(leaf.path);
    if (one == nullptr || other == nullptr || drawn == nullptr) continue;
    const auto expected = values_of(eager, *one);
    const auto actual = values_of(compiled, *other);
    const auto far = values_of(noise, *drawn);
    if (!expected || !actual || !far) continue;
    if (expected->size() != actual->size() || expected->size() != far->size()) continue;
    leaf.beyond_noise =
        is_exact(leaf.dtype) ? beyond(*expected, *actual, *far) : beyond_leaps(*expected, *actual, *far, leaf);
  }
}

}  // namespace parityd::oracle
