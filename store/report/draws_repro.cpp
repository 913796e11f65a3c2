#include "store/report/draws_repro.h"

#include <fmt/format.h>

#include <map>

#include "oracle/run_record.h"
#include "store/report/draft_parts.h"
#include "store/report/shown_values.h"

namespace parityd::store {
namespace {

constexpr int kSeeds = 32;
constexpr int kPairs = 16;        // of draws in succession
constexpr int kFewSeeds = 3;      // if one would do
constexpr int kFirstSeed = 1000;  // all three as in executor/worker/running/draws.py

struct Number {
  const char* words;
  const char* python;  // over `drawn`, a tensor of doubles
};

/// As executor/worker/running/draws.py computes them.
const std::map<std::string, Number>& numbers() {
  static const std::map<std::string, Number> table = {
      {"mean", {"mean of {}", "drawn.mean()"}},
      {"std", {"standard deviation of {}", "drawn.std(correction=0)"}},
      {"min", {"smallest element of {}", "drawn.min()"}},
      {"max", {"largest element of {}", "drawn.max()"}},
      {"neighbours", {"mean product of neighbours in {}", "torch.mul(*drawn.unfold(0, 2, 1).unbind(1)).mean()"}},
      {"repeat", {"fraction of {} that differs between two runs with the same seed", ""}},
      {"alike", {"fraction of {} that is equal in two consecutive draws", ""}},
      {"derivative",
       {"relative error of the gradient against the finite-difference slope of the forward pass with the same seed",
        ""}},
  };
  return table;
}

bool is_distribution(const DrawnNumber& number) { return numbers().at(number.what).python[0] != '\0'; }

int seeds_of(const DrawnNumber& number) {
  if (number.what == "alike") return kPairs;
  return is_distribution(number) ? kSeeds : kFewSeeds;
}

}  // namespace

std::optional<DrawnNumber> drawn_number(const DraftFacts& facts) {
  const EvidenceRow* const round = shown_round(facts);
  if (round == nullptr || round->verdict.leaves.empty()) return std::nullopt;
  const std::string& path = round->verdict.leaves.front();
  const std::size_t dot = path.rfind('.');
  if (!path.starts_with(oracle::kDrawn) || !numbers().contains(path.substr(dot + 1))) return std::nullopt;
  const std::size_t root = oracle::kDrawn.size();
  const std::string leaf = dot < root ? "" : path.substr(root, dot - root);
  DrawnNumber number{.place = leaf.empty() ? "" : reached(leaf), .what = path.substr(dot + 1)};
  return number.place.empty() != (number.what == "derivative") ? std::nullopt : std::optional(number);
}

std::string drawn_words(const DrawnNumber& number) {
  const std::string words = fmt::format(fmt::runtime(numbers().at(number.what).words), number.place);
  return is_distribution(number) ? fmt::format("{}, over {} seeds", words, kSeeds) : words;
}

std::string drawn_symptom(const DrawnNumber& number) {
  if (number.what == "repeat") return "compiled code returns different values for the same seed";
  if (number.what == "alike") return "compiled code draws the same values twice";
  if (number.what == "derivative") return "the compiled backward pass does not match the forward pass";
  return "compiled code draws from a different distribution than eager";
}

std::string drawn_expected(const DrawnNumber& number) {
  if (number.what == "repeat") return "the same seed gives the same values, as in eager.";
  if (number.what == "alike") return "two consecutive draws differ, as in eager.";
  if (number.what == "derivative") {
    return "the gradient of the values that the forward pass returned: backward reuses the random numbers that forward "
           "drew.";
  }
  return "random numbers that differ from eager's, drawn from the same distribution.";
}

void set_drawn(Fields& fields, const DrawnNumber& number, std::uint64_t seed, bool backward) {
  const bool alike = number.what == "alike", repeat = number.what == "repeat";
  set_flags(fields, {{"alike", alike},
                     {"repeat", repeat},
                     {"pair", alike || repeat},
                     {"derivative", number.what == "derivative"},
                     {"at_once", number.place == "output" && !backward}});
  set_texts(fields, {{"drawn", drawn_words(number)},
                     {"place", number.place},
                     {"statistic", numbers().at(number.what).python},
                     {"first_seed", std::to_string(kFirstSeed + seed)},
                     {"end_seed", std::to_string(kFirstSeed + seed + static_cast<std::uint64_t>(seeds_of(number)))}});
}

}  // namespace parityd::store
