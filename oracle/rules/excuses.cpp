#include "oracle/rules/excuses.h"

#include <algorithm>

#include "oracle/rules/allowances.h"
#include "oracle/rules/refusals.h"

namespace parityd::oracle {
namespace {

std::vector<Excuse> own() {
  return {
      {"outcome.environment", "a problem of the machine: a full disk, no memory, a missing compiler", ""},
      {"outcome.dead_code", "eager raises in a statement whose result is unused; compilers remove such code", ""},
      {"outcome.rounding_decides", "whether the program raises depends on the last bit of a value", ""},
      {"not_compiled", "the compiled mode compiled no graph: eager was compared with eager", ""},
      {"not_compared", "something in the results could not be compared; everything else agrees", ""},
      {"metadata.rounding_decides_shape",
       "a shape that agrees under precision casts or in double, or that rounding noise changes", ""},
      {"metadata.padded_stride",
       "an output has padded rows in the same order: matrix products are padded where that is faster",
       "torch/_inductor/config.py, shape_padding"},
      {"documented.asks_if_compiled",
       "the program asks whether it is compiled, or inspects the stack, and behaves differently",
       "https://docs.pytorch.org/docs/stable/generated/torch.compiler.is_compiling.html"},
      {"documented.checkpoint", "a checkpointed part gives something else when backward computes it anew",
       "https://docs.pytorch.org/docs/stable/checkpoint.html"},
      {"documented.export_side_effects",
       "the program changes Python objects, which torch.export ignores, usually with a warning",
       "https://docs.pytorch.org/docs/stable/export/programming_model.html"},
      {"documented.frozen", "the program writes to a parameter that freezing has made a constant",
       "torch/_inductor/config.py, freezing"},
      {"documented.export_layout",
       "an exported program is called with other strides or dtypes than it was exported with, which is not checked",
       "https://docs.pytorch.org/docs/stable/export/programming_model.html"},
      {"numbers.nan_sign", "eager gives the same result if a NaN has the other sign, which is not guaranteed", ""},
      {"numbers.nan_bits", "only the sign bit of a NaN differs, seen through view(dtype)", ""},
      {"numbers.rounding_precise", "the leaf agrees under precision casts", ""},
      {"numbers.rounding_mostly", "precision casts remove nearly all of the difference", ""},
      {"numbers.noise", "rounding noise alone moves each element as far: integers, and floats at discontinuities", ""},
      {"numbers.rounding_decides", "rounding decides the number of elements, and no double run has the same number",
       ""},
      {"numbers.ill_conditioned", "eager deviates from its own double run as much as compiled code does", ""},
      {"numbers.rounding_double", "the leaf agrees in double", ""},
      {"numbers.small_values", "without a double run: only elements much smaller than the others differ", ""},
      {"numbers.rounding_rms", "without a double run: the difference is at most two units in the last place", ""},
      {"numbers.uninitialised", "without a watched run: the program creates uninitialised memory", ""},
      {"numbers.tie", "without a watched run: only indices differ, from operators that do not define the order of ties",
       ""},
  };
}

std::vector<Excuse> all() {
  std::vector<Excuse> rows = own();
  for (const KnownFault& fault : known_faults()) {
    rows.push_back({std::string(fault.rule), std::string(fault.about) + ": one finding with the status known",
                    "https://github.com/pytorch/pytorch/issues/" + std::to_string(fault.issue)});
  }
  for (const Allowance& allowance : allowances()) {
    rows.push_back({std::string(allowance.excuse), std::string(allowance.about), std::string(allowance.source)});
  }
  for (const NondeterministicOperator& row : nondeterministic_operators()) {
    rows.push_back({row.excuse(), "eager itself varies about as much between runs, due to " + std::string(row.of),
                    std::string(kNondeterministicSource)});
  }
  for (const ErrorPattern& refusal : declared_refusals()) {
    rows.push_back(
        {"documented." + std::string(refusal.name), "the compiler refuses the program", std::string(refusal.source)});
  }
  return rows;
}

}  // namespace

const std::vector<Excuse>& excuses() {
  static const std::vector<Excuse> rows = all();
  return rows;
}

bool is_excuse(std::string_view name) {
  return std::any_of(excuses().begin(), excuses().end(), [&](const Excuse& excuse) { return excuse.name == name; });
}

const std::vector<KnownFault>& known_faults() {
  static const std::vector<KnownFault> rows{
      {"known.returned_input", 197893,
       "compiled code returns an input where eager returns a new tensor with its values (x + 0)"},
  };
  return rows;
}

const KnownFault* known_fault(std::string_view rule) {
  const auto& rows = known_faults();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const KnownFault& row) { return row.rule == rule; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace parityd::oracle
