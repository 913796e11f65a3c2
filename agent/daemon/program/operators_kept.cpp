#include "agent/daemon/program/operators_kept.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>

namespace parityd::agent {
namespace {

constexpr std::array<std::string_view, 58> kArranging{
    "view",       "reshape",     "permute",   "transpose",      "t",         "expand",   "expandas",   "broadcastto",
    "unsqueeze",  "squeeze",     "flatten",   "unflatten",      "movedim",   "swapaxes", "contiguous", "clone",
    "to",         "type",        "typeas",    "float",          "double",    "half",     "bfloat16",   "long",
    "int",        "short",       "bool",      "size",           "dim",       "numel",    "item",       "tolist",
    "zeros",      "ones",        "empty",     "full",           "arange",    "tensor",   "astensor",   "eye",
    "randn",      "rand",        "randint",   "linspace",       "zeroslike", "oneslike", "newzeros",   "newones",
    "newfull",    "newtensor",   "parameter", "registerbuffer", "detach",    "narrow",   "append",     "items",
    "manualseed", "requiresgrad"};

/// The last part of a dotted name, in lower case and without underscores, so that all forms of an operator are equal.
std::string plain_operator(std::string_view name) {
  std::string plain;
  for (const char c : name.substr(name.rfind('.') + 1)) {
    if (c != '_') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return plain;
}

std::set<std::string> tested(const std::vector<std::string>& names) {
  std::set<std::string> plain;
  for (const auto& name : names) {
    const std::string each = plain_operator(name);
    if (std::find(kArranging.begin(), kArranging.end(), each) == kArranging.end()) plain.insert(each);
  }
  return plain;
}

}  // namespace

std::vector<std::string> lost_operators(const OperatorSets& operators) {
  const auto before = tested(operators.before);
  const auto after = tested(operators.after);
  std::vector<std::string> lost;
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(lost));
  return lost;
}

bool keeps_operators(const OperatorSets& operators, bool operator_blamed) {
  const std::size_t lost = lost_operators(operators).size();
  return lost * 4 <= tested(operators.before).size() || (operator_blamed && lost == 1);
}

}  // namespace parityd::agent
