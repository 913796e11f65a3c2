// normalise_refusal(): what eager refuses, with the dispatcher's names of operators and dtypes.
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <utility>

#include "oracle/rules/message.h"
#include "oracle/rules/signature.h"

namespace parityd::oracle {
namespace {

using Name = std::pair<std::string_view, std::string_view>;  // as written, as meant

/// Python's operators by torch's names, and torch's aliases by the name it dispatches on.
constexpr std::array kOperators{
    Name{"absolute", "abs"},
    Name{"and", "bitwise_and"},
    Name{"arccos", "acos"},
    Name{"arccosh", "acosh"},
    Name{"arcsin", "asin"},
    Name{"arcsinh", "asinh"},
    Name{"arctan", "atan"},
    Name{"arctan2", "atan2"},
    Name{"arctanh", "atanh"},
    Name{"clip", "clamp"},
    Name{"concat", "cat"},
    Name{"concatenate", "cat"},
    Name{"det", "linalg_det"},
    Name{"divide", "div"},
    Name{"expit", "sigmoid"},
    Name{"fix", "trunc"},
    Name{"floordiv", "floor_divide"},
    Name{"getitem", "index"},
    Name{"greater", "gt"},
    Name{"greater_equal", "ge"},
    Name{"inverse", "linalg_inv"},
    Name{"invert", "bitwise_not"},
    Name{"less", "lt"},
    Name{"less_equal", "le"},
    Name{"lshift", "bitwise_left_shift"},
    Name{"mod", "remainder"},
    Name{"moveaxis", "movedim"},
    Name{"multiply", "mul"},
    Name{"negative", "neg"},
    Name{"not_equal", "ne"},
    Name{"noteq", "ne"},
    Name{"or", "bitwise_or"},
    Name{"pos", "positive"},
    Name{"rshift", "bitwise_right_shift"},
    Name{"setitem", "index_put"},
    Name{"subtract", "sub"},
    Name{"swapaxes", "transpose"},
    Name{"swapdims", "transpose"},
    Name{"true_divide", "div"},
    Name{"xor", "bitwise_xor"},
};

/// C++, ScalarType, the old tensor types and torch's dtypes. A missing check is found with each dtype of a class.
constexpr std::array kDtypes{
    Name{"BFloat16", "low_precision"},
    Name{"Bool", "bool"},
    Name{"Byte", "integer"},
    Name{"Char", "integer"},
    Name{"ComplexDouble", "complex"},
    Name{"ComplexFloat", "complex"},
    Name{"ComplexHalf", "complex"},
    Name{"Double", "float"},
    Name{"Float", "float"},
    Name{"Half", "low_precision"},
    Name{"Int", "integer"},
    Name{"Long", "integer"},
    Name{"Short", "integer"},
    Name{"bfloat16", "low_precision"},
    Name{"complex128", "complex"},
    Name{"complex32", "complex"},
    Name{"complex64", "complex"},
    Name{"double", "float"},
    Name{"float16", "low_precision"},
    Name{"float32", "float"},
    Name{"float64", "float"},
    Name{"int", "integer"},
    Name{"int16", "integer"},
    Name{"int32", "integer"},
    Name{"int64", "integer"},
    Name{"int8", "integer"},
    Name{"long int", "integer"},
    Name{"short int", "integer"},
    Name{"signed char", "integer"},
    Name{"uint16", "integer"},
    Name{"uint32", "integer"},
    Name{"uint64", "integer"},
    Name{"uint8", "integer"},
    Name{"unsigned char", "integer"},
};

/// Suffixes that eager's kernels append to the name of their operator.
constexpr std::array<std::string_view, 13> kKernelEndings{"_cpu",    "_cuda",   "_vml",          "_stub", "_kernel",
                                                          "_impl",   "_out",    "_frame",        "_mps",  "_xpu",
                                                          "_scalar", "_tensor", "_channels_last"};

template <std::size_t Size>
std::string_view meant(const std::array<Name, Size>& names, std::string_view written) {
  const auto* const found =
      std::find_if(names.begin(), names.end(), [&](const Name& name) { return name.first == written; });
  return found == names.end() ? written : found->second;
}

/// "LayerNormKernelImpl" as "layer_norm_kernel_impl".
std::string in_small_letters(std::string_view text) {
  std::string small;
  bool after_capital = false;
  for (const char letter : text) {
    const bool capital = letter >= 'A' && letter <= 'Z';
    const bool starts = capital && !small.empty() && small.back() != '_' && !after_capital;
    after_capital = capital;
    if (starts) small += '_';
    small += capital ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return small;
}

/// "bernoulli_tensor_cpu_p_" is unchanged; "ceil_vml_cpu" becomes "ceil".
std::string without_endings_of_kernels(std::string_view kernel) {
  std::string name = in_small_letters(kernel);
  for (bool cut = true; cut;) {
    cut = name.size() > 1 && name.ends_with('_');
    if (cut) name.pop_back();
    for (const std::string_view ending : kKernelEndings) {
      if (!name.ends_with(ending) || name.size() == ending.size()) continue;
      name.resize(name.size() - ending.size());
      cut = true;
    }
  }
  return name;
}

/// Replaces the first group of each match by what `to` makes of it.
template <typename Change>
std::string replaced(const std::string& text, const RE2& pattern, Change to) {
  std::string result;
  std::size_t at = 0;
  std::array<re2::StringPiece, 2> found;
  while (pattern.Match(text, at, text.size(), RE2::UNANCHORED, found.data(), static_cast<int>(found.size()))) {
    const auto begin = static_cast<std::size_t>(found[1].data() - text.data());
    result += text.substr(at, begin - at) + std::string(to(std::string_view(found[1].data(), found[1].size())));
    at = begin + found[1].size();
  }
  return result + text.substr(at);
}

/// "Tensor.index_add_" and "torch.index_add" as "index_add".
std::string operator_of_prefix(std::string_view written) {
  for (const std::string_view owner : {"torch.", "Tensor."}) {
    if (written.starts_with(owner)) written.remove_prefix(owner.size());
  }
  if (written.ends_with('_') && !written.ends_with("__")) written.remove_suffix(1);
  std::string name(written);
  std::replace(name.begin(), name.end(), '.', '_');
  return dispatcher_name(name);
}

}  // namespace

std::string dispatcher_name(std::string_view called) { return std::string(meant(kOperators, called)); }

std::string normalise_refusal(std::string_view message) {
  static const RE2 kernel(R"re("([A-Za-z_][A-Za-z0-9_]*)" not implemented for )re");
  static const RE2 prefix(R"(^((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*) ?(?:\(\))? ?: )");
  static const RE2 dtype(
      R"(\b((?:unsigned|signed) char|(?:long|short) int|[A-Z][A-Za-z]+(?:16)?|double|float|int|(?:u?int|b?float|complex)\d+(?:_t)?)\b)");
  // The same check in the words of several kernels.
  static const RE2 outside(
      R"((?i)\b(?:index(?:es|ing)?|indices)(?: element)?(?: [-#\d]+)?(?: is)? out of (?:\w+ )?(?:bounds|range)\b.*)");
  std::string text = normalise_message(message);
  text = replaced(text, kernel, without_endings_of_kernels);
  text = replaced(text, prefix, operator_of_prefix);
  RE2::Replace(&text, R"(^(\w+) ?(?:\(\))? ?: )", R"(\1: )");
  RE2::GlobalReplace(&text, R"(\btorch\.(?:cuda\.)?([A-Z][A-Za-z0-9]*)Tensor\b)", R"(\1)");
  RE2::GlobalReplace(&text, R"(\b(?:torch\.|c10::)([A-Za-z0-9]+)\b)", R"(\1)");
  text = replaced(text, dtype, [](std::string_view name) {
    if (name.ends_with("_t")) name.remove_suffix(2);
    return meant(kDtypes, name);
  });
  RE2::Replace(&text, outside, "index out of range");
  RE2::GlobalReplace(&text, R"(\bExpected\b)", "expected");
  RE2::GlobalReplace(&text, R"(\bbut (?:found|got|it was|was)\b:?)", "but got");
  return text;
}

}  // namespace parityd::oracle
