// Which programs are about the same as another one, by the words in them. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace parityd::agent {

/// The indices of the programs that share the most rare words with `program`, the likest first, at most `most`: words
/// that few of `others` have. Those that share none are left out, and those with the same text.
[[nodiscard]] std::vector<std::size_t> likest(const std::string& program, const std::vector<std::string>& others,
                                              std::size_t most);

}  // namespace parityd::agent
