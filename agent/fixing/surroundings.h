// What surrounds the functions that fired: the answers of the tools `callers`, `documented` and `siblings`
// (docs/inspect.md). What a tool did not answer, or answered in another form, is missing. Pure; any thread.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace parityd::agent {

/// The operators whose lowering, decomposition or meta function reaches a function.
struct ReachedBy {
  std::vector<std::string> operators;  // "aten.add", the nearest first; not always all of them
  std::size_t number = 0;              // of all
};

/// Functions as the tools `callers` and `siblings` take them, from "torch/_inductor/lowering.py:cat".
[[nodiscard]] nlohmann::json function_arguments(const std::vector<std::string>& places);

/// By the function's place: "torch/_inductor/lowering.py:cat".
[[nodiscard]] std::map<std::string, ReachedBy> read_callers(std::string_view text);

/// What torch says about an operator, or about something else that the program calls.
struct Documented {
  std::string name;                  // "index_add"
  std::vector<std::string> schemas;  // of aten; may be empty
  std::string text;                  // its docstring, cut; may be empty
};

[[nodiscard]] std::vector<Documented> read_documented(std::string_view text);

/// How a function that did not fire resembles what did.
enum class Relation {
  right,  // it is for an operator with which the program does not show the finding
  same,   // it is another implementation of an operator of the finding
  alike,  // it names the same things as a function that fired
};

struct SiblingFunction {
  std::string file, name;  // as in FiredFunction
  int first_line = 0, last_line = 0;
  Relation relation = Relation::alike;
  std::string to;  // the operator, or the function that it is like
};

[[nodiscard]] std::vector<SiblingFunction> read_siblings(std::string_view text);

}  // namespace parityd::agent
