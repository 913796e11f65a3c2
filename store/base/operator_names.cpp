#include "store/base/operator_names.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "store/base/text.h"

namespace parityd::store {
namespace {

constexpr std::string_view kCommon[] = {
    "_to_copy", "add",     "alias",     "arange",  "as_strided", "cat",    "clone",   "constant_pad_nd",
    "copy_",    "detach",  "div",       "empty",   "eq",         "expand", "fill",    "full",
    "ge",       "getitem", "gt",        "iota",    "le",         "lt",     "mul",     "ne",
    "neg",      "ones",    "permute",   "reshape", "select",     "slice",  "squeeze", "sub",
    "sum",      "t",       "transpose", "unbind",  "unsqueeze",  "view",   "where",   "zeros"};

/// Python, the form of a program, and functions that make inputs.
constexpr std::string_view kOfAnyProgram[] = {
    "Model",      "__init__",       "arange",  "bool",        "clone",
    "contiguous", "default",        "detach",  "dict",        "empty",
    "enumerate",  "float",          "forward", "full",        "get_init_inputs",
    "get_inputs", "half",           "inputs",  "int",         "isinstance",
    "len",        "linspace",       "list",    "manual_seed", "no_grad",
    "ones",       "print",          "rand",    "randint",     "randn",
    "range",      "requires_grad_", "size",    "super",       "tensor",
    "to",         "tuple",          "zeros",   "zip"};

/// Operators that a program calls by a symbol, in the spacing of formatted Python.
constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
    {" // ", "floor_divide"}, {" % ", "remainder"},           {" ** ", "pow"},
    {" @ ", "matmul"},        {" << ", "bitwise_left_shift"}, {" >> ", "bitwise_right_shift"}};

bool is_of_any_program(std::string_view name) {
  return std::find(std::begin(kOfAnyProgram), std::end(kOfAnyProgram), name) != std::end(kOfAnyProgram);
}

/// The name that begins at `begin`; empty if there is none.
std::string_view name_at(std::string_view text, std::size_t begin) {
  const std::string_view rest = text.substr(begin);
  return {rest.begin(), std::ranges::find_if_not(rest, in_name)};
}

/// "LayerNorm" as "layer_norm".
std::string in_small_letters(const std::string& name) {
  std::string small;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const auto letter = static_cast<unsigned char>(name[at]);
    const bool starts =
        std::isupper(letter) != 0 && at > 0 && std::islower(static_cast<unsigned char>(name[at - 1])) != 0;
    small += starts ? "_" : "";
    small += static_cast<char>(std::tolower(letter));
  }
  return small;
}

}  // namespace

std::string brief_operator(std::string_view name) {
  for (const std::string_view start : {"aten.", "prims.", "torch.", "Tensor.", "_operator."}) {
    if (name.starts_with(start)) name.remove_prefix(start.size());
  }
  if (name.starts_with("nn.functional.")) name.remove_prefix(14);
  return std::string(name.substr(0, name.find('.')));
}

bool is_common_operator(std::string_view brief) {
  return std::find(std::begin(kCommon), std::end(kCommon), brief) != std::end(kCommon);
}

std::string plain_operator(std::string_view name) {
  std::string plain = in_small_letters(brief_operator(name));
  while (plain.starts_with('_')) plain.erase(0, 1);
  while (plain.ends_with('_')) plain.pop_back();
  if (plain.starts_with("native_")) plain.erase(0, 7);
  return plain;
}

std::string operator_family(std::string_view name) {
  std::string family = plain_operator(name);
  if (family.ends_with("_backward")) family.resize(family.size() - 9);
  for (const std::string_view dimensions : {"1d", "2d", "3d"}) {
    if (family.size() > dimensions.size() && family.ends_with(dimensions)) family.resize(family.size() - 2);
  }
  return family == "convert_element_type" ? "to_copy" : family;  // _to_copy is decomposed into it
}

std::vector<std::string> called_names(const std::string& program) {
  const std::string_view text = program;
  std::set<std::string> names;
  for (const auto& [sign, name] : kSigns) {
    if (text.find(sign) != std::string_view::npos) names.emplace(name);
  }
  constexpr std::string_view kLibrary = "ops.aten.";  // torch.ops.aten.min.default(x) calls min
  for (auto at = text.find(kLibrary); at != std::string_view::npos; at = text.find(kLibrary, at + 1)) {
    names.emplace(name_at(text, at + kLibrary.size()));
  }
  for (std::size_t begin = 0; begin < text.size();) {
    const std::string word(name_at(text, begin));
    const std::size_t end = begin + word.size();
    const std::string_view before = text.substr(0, begin);
    const bool own = before.ends_with("self.") || before.ends_with("def ");
    if (!word.empty() && !own && end < text.size() && text[end] == '(' && !is_of_any_program(word)) names.insert(word);
    begin = std::max(end, begin + 1);
  }
  std::erase_if(names, [&](const std::string& name) {
    return program.find("def " + name + "(") != std::string::npos || program.find("class " + name) != std::string::npos;
  });
  return {names.begin(), names.end()};
}

}  // namespace parityd::store
