#include "store/report/draws_repro.h"

#include <fmt/format.h>

#include <map>

#include "oracle/run_record.h"
#include "store/report/draft_parts.h"
#include "store/report/python.h"
#include "store/report/repro_lines.h"
#include "store/report/shown_values.h"

namespace parityd::store {
namespace {

constexpr int kSeeds = 32;
constexpr int kPairs = 16;        // of draws one after the other
constexpr int kFewSeeds = 3;      // where one would do
constexpr int kFirstSeed = 1000;  // all three as in executor/worker/running/draws.py

struct Number {
  const char* words;
  const char* python;  // over {0}, a tensor of doubles drawn with `seed`
};

/// As executor/worker/running/draws.py computes them.
const std::map<std::string, Number>& numbers() {
  static const std::map<std::string, Number> table = {
      {"mean", {"mean of {}", "{}.mean()"}},
      {"std", {"standard deviation of {}", "{}.std(correction=0)"}},
      {"min", {"smallest element of {}", "{}.min()"}},
      {"max", {"largest element of {}", "{}.max()"}},
      {"neighbours", {"mean product of neighbours in {}", "torch.mul(*{}.unfold(0, 2, 1).unbind(1)).mean()"}},
      {"repeat", {"part of {} that the same seed gives otherwise", ""}},
      {"alike", {"part of {} that two draws one after the other have in common", ""}},
      {"derivative", {"relative distance of the gradient from the slope of forward at the same seed", ""}},
  };
  return table;
}

bool is_distribution(const DrawnNumber& number) { return numbers().at(number.what).python[0] != '\0'; }

int seeds_of(const DrawnNumber& number) {
  if (number.what == "alike") return kPairs;
  return is_distribution(number) ? kSeeds : kFewSeeds;
}

constexpr const char* kRestored =
    "    with torch.no_grad():\n"
    "        for tensor, value in repro_start:\n"
    "            tensor.copy_(value)\n";

/// repro_draw(compiled, seed): the tensor. Without a seed it draws on from where the last run ended.
std::string draw_function(const ReproPlan& plan, const std::string& program, const DrawnNumber& number) {
  const Returned returned = returned_by(program, "get_inputs");
  const bool goes_on = number.what == "alike";
  std::string text = std::string("def repro_draw(compiled, seed):\n") + (plan.train ? kRestored : "");
  if (plan.backward) text += "    model.zero_grad()\n";
  const char* const state = plan.cuda ? "torch.cuda" : "torch";
  if (goes_on) text += fmt::format("    generator = {}.get_rng_state()\n", state);
  text += fmt::format("    torch.manual_seed({})\n", plan.seed) + inputs_lines(plan, returned, "    ");
  text += goes_on ? fmt::format("    {}.set_rng_state(generator) if seed is None else torch.manual_seed(seed)\n", state)
                  : "    torch.manual_seed(seed)\n";
  const std::string autocast = autocast_of(plan);
  if (!autocast.empty()) text += fmt::format("    with {}:\n    ", autocast);
  const bool at_once = number.place == "output" && !plan.backward;
  text += fmt::format("    {}repro_models[compiled]({}inputs){}\n",
                      at_once ? "return " : "output = ", returned == Returned::named ? "**" : "*",
                      at_once ? ".detach().clone()" : "");
  if (plan.backward) text += backward_of_all();
  return at_once ? text + "\n\n" : text + fmt::format("    return {}.detach().clone()\n\n\n", number.place);
}

/// repro_gradcheck(compiled, seed): whether inputs have the gradients of what forward returns with that seed.
std::string gradcheck_function(const ReproPlan& plan, const std::string& program) {
  const Returned returned = returned_by(program, "get_inputs");
  const bool named = returned == Returned::named;
  ReproPlan bare = plan;
  bare.backward = false;  // tensors in double are others
  std::string text = fmt::format(
      "def repro_gradcheck(compiled, seed):\n"
      "    torch.manual_seed({})\n"
      "{}"
      "    wide = [t.double() if isinstance(t, torch.Tensor) and t.is_floating_point() else t for t in {}]\n"
      "    for tensor in wide:\n"
      "        if isinstance(tensor, torch.Tensor) and tensor.is_floating_point():\n"
      "            tensor.requires_grad_()\n\n"
      "    def seeded(*inputs{}):\n"
      "        torch.manual_seed(seed)\n",
      plan.seed, inputs_lines(bare, returned, "    "), named ? "inputs.values()" : "inputs",
      named ? ", names=tuple(inputs)" : "");
  const std::string autocast = autocast_of(plan);
  if (!autocast.empty()) text += fmt::format("        with {}:\n    ", autocast);
  return text +
         fmt::format("        return repro_models[compiled]({})\n\n",
                     named ? "**dict(zip(names, inputs))" : "*inputs") +
         "    return torch.autograd.gradcheck(seeded, tuple(wide), raise_exception=False)\n\n\n";
}

/// Statements that append the number for `seed` to `found`.
std::string number_lines(const DrawnNumber& number) {
  if (number.what == "derivative") return "        found.append(float(not repro_gradcheck(compiled, seed)))\n";
  if (number.what == "repeat" || number.what == "alike") {
    return fmt::format(
        "        first, second = repro_draw(compiled, seed), repro_draw(compiled, {})\n"
        "        found.append((first {} second).double().mean().item())\n",
        number.what == "repeat" ? "seed" : "None", number.what == "repeat" ? "!=" : "==");
  }
  return fmt::format("        drawn = repro_draw(compiled, seed).flatten().double()\n        found.append({}.item())\n",
                     fmt::format(fmt::runtime(numbers().at(number.what).python), "drawn"));
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
  if (number.what == "repeat") return "compiled code gives other values for the same seed";
  if (number.what == "alike") return "compiled code draws the same values twice";
  if (number.what == "derivative") return "compiled backward does not belong to the values of forward";
  return "compiled code draws from another distribution than eager";
}

std::string drawn_expected(const DrawnNumber& number) {
  if (number.what == "repeat") return "the same seed gives the same values again, as in eager.";
  if (number.what == "alike") return "two draws one after the other differ, as in eager.";
  if (number.what == "derivative")
    return "the gradient of what forward returned: backward takes the numbers that forward drew.";
  return "other random numbers than in eager, but of the same distribution.";
}

std::string draws_functions(const ReproPlan& plan, const std::string& program, const DrawnNumber& number) {
  const bool slope = number.what == "derivative";
  std::string text = plain_settings(plan) + graph_function(plan);
  text +=
      fmt::format("torch.manual_seed({})\n", plan.seed) + model_line(plan, program) + (slope ? "model.double()\n" : "");
  text += fmt::format("repro_models = [model, {}]\n", plain_compile_call(plan));
  if (plan.train && !slope)
    text += "repro_start = [(t, t.detach().clone()) for t in [*model.parameters(), *model.buffers()]]\n";
  text += "\n\n";
  text += slope ? gradcheck_function(plan, program) : draw_function(plan, program, number);
  text += "def repro_numbers(compiled):\n    found = []\n";
  text += fmt::format("    for seed in range({}, {}):\n", kFirstSeed + plan.seed,
                      kFirstSeed + plan.seed + seeds_of(number));
  return text + number_lines(number) + "    return torch.tensor(found).double()\n";
}

std::string draws_verdict(const DrawnNumber& number) {
  std::string text = fmt::format(
      "def repro_shown():  # {}\n"
      "    eager, compiled = repro_numbers(False), repro_numbers(True)\n"
      "    print(\"eager:   \", eager.mean().item())\n    print(\"compiled:\", compiled.mean().item())\n",
      drawn_words(number));
  if (number.what == "repeat") return text + "    return bool(eager.max() == 0 and compiled.max() > 0)\n";
  if (number.what == "alike")
    return text + "    return bool((eager == 1).double().mean() <= 0.25 and compiled.min() == 1)\n";
  if (number.what == "derivative") return text + "    return bool(eager.max() == 0 and compiled.min() == 1)\n";
  return text +
         "    chance = ((eager.var() + compiled.var()) / len(eager)).sqrt()\n"
         "    return bool((eager.mean() - compiled.mean()).abs() > 5 * chance + 1e-4 * eager.mean().abs())\n";
}

}  // namespace parityd::store
