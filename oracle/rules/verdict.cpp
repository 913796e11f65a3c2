// Names only: the worker's module compiles this file for oracle/finding/json.cpp. The judging is in judge.cpp and the
// rule files.
#include "oracle/rules/verdict.h"

#include "oracle/names.h"

namespace parityd::oracle {
namespace {

constexpr std::array<std::string_view, 5> kVerdicts{"consistent", "invalid", "inconsistent", "excused", "unstable"};
constexpr std::array<std::string_view, 8> kKinds{"behaviour", "missing_check", "numerical", "metadata",
                                                 "mutation",  "gradient",      "crash",     "hang"};

}  // namespace

std::string_view name(VerdictKind verdict) { return name_in(kVerdicts, verdict); }
std::string_view name(Kind kind) { return name_in(kKinds, kind); }
std::optional<VerdictKind> verdict_from_name(std::string_view name) { return value_in<VerdictKind>(kVerdicts, name); }
std::optional<Kind> kind_from_name(std::string_view name) { return value_in<Kind>(kKinds, name); }

}  // namespace parityd::oracle
