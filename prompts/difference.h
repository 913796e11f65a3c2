// Two texts beside each other, line by line. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parityd::prompts {

struct DifferenceLine {
  enum class Kind { kept, gone, added };
  Kind kind = Kind::kept;
  std::string text;
  bool operator==(const DifferenceLine&) const = default;
};

/// The lines of both, as few of them gone and added as there can be. Texts that have almost nothing in common are not
/// searched for it: then all of the old is gone and all of the new is added.
[[nodiscard]] std::vector<DifferenceLine> difference(std::string_view before, std::string_view now);

[[nodiscard]] std::vector<std::string> lines_of(std::string_view text);

}  // namespace parityd::prompts
