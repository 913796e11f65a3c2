// What a model asks to see of torch's source before it answers. Pure; any thread.
//
// The form, one line each, and nothing else of meaning in the reply:
//
//   SHOW torch/_inductor/ir.py:Reduction.create
//   SHOW get_node_weight
//   SHOW torch/_inductor/ir.py:120-180
//   FIND some text
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parityd::agent {

struct SourceRequest {
  enum class Kind { definition, lines, text };
  Kind kind = Kind::definition;
  std::string asked;        // the line as it was written
  std::string file;         // relative to site-packages, as written; empty: any
  std::string name;         // of a definition, qualified or not; the text to find
  int first = 0, last = 0;  // of lines, counted from 1
};

/// More are ignored.
inline constexpr std::size_t kMostRequests = 12;

/// Empty: the reply asks for nothing, or it holds an edit or NO PATCH, which come first.
[[nodiscard]] std::vector<SourceRequest> source_requests(std::string_view reply);

}  // namespace parityd::agent
