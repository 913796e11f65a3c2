// The source that a model asked to see, out of the installed torch. Blocks: it reads files, all of torch's Python for a
// request without a file, a second; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/fixing/source_request.h"

namespace parityd::agent {

/// The longest answer, in characters; what does not fit is named as too long.
inline constexpr std::size_t kLongestShown = 60'000;
/// Lines of a definition; of a longer one the beginning is shown. Of a request for lines the same number.
inline constexpr std::size_t kMostLines = 300;
/// Definitions of one name, and lines that hold a text.
inline constexpr std::size_t kMostDefinitions = 4, kMostFound = 30;

/// The message that answers. Only Python files below `torch_folder` are read, whatever a request names: it is
/// untrusted. What is not there is said to be missing.
[[nodiscard]] std::string shown_source(const std::vector<SourceRequest>& requests,
                                       const std::filesystem::path& torch_folder);

}  // namespace parityd::agent
