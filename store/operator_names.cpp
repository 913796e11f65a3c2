#include "store/operator_names.h"

#include <algorithm>

namespace parityd::store {
namespace {

constexpr std::string_view kCommon[] = {
    "_to_copy", "add",     "alias",     "arange",  "as_strided", "cat",    "clone",   "constant_pad_nd",
    "copy_",    "detach",  "div",       "empty",   "eq",         "expand", "fill",    "full",
    "ge",       "getitem", "gt",        "iota",    "le",         "lt",     "mul",     "ne",
    "neg",      "ones",    "permute",   "reshape", "select",     "slice",  "squeeze", "sub",
    "sum",      "t",       "transpose", "unbind",  "unsqueeze",  "view",   "where",   "zeros"};

}  // namespace

std::string brief_operator(std::string_view name) {
  for (const std::string_view start : {"aten.", "prims.", "torch.", "Tensor."}) {
    if (name.starts_with(start)) name.remove_prefix(start.size());
  }
  if (name.starts_with("nn.functional.")) name.remove_prefix(14);
  return std::string(name.substr(0, name.find('.')));
}

bool is_common_operator(std::string_view brief) {
  return std::find(std::begin(kCommon), std::end(kCommon), brief) != std::end(kCommon);
}

std::string operator_family(std::string_view name) {
  std::string family = brief_operator(name);
  while (family.starts_with('_')) family.erase(0, 1);
  while (family.ends_with('_')) family.pop_back();
  if (family.starts_with("native_")) family.erase(0, 7);
  if (family.ends_with("_backward")) family.resize(family.size() - 9);
  return family;
}

}  // namespace parityd::store
