// A change applied to the files of an installed torch, which is only read. Blocks; any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "agent/fixing/change.h"

namespace parityd::agent {

struct ChangedFile {
  std::string path;  // relative to site-packages: "torch/_inductor/lowering.py"
  std::string before, after;
};

struct Patch {
  std::vector<ChangedFile> files;      // sorted by path; not empty
  std::string diff;                    // unified, for `git apply` and `patch -p1`
  std::size_t changed_lines = 0;       // added and removed
  std::vector<std::string> functions;  // "torch/_inductor/lowering.py:cat", in order; names as in python_scopes.h
};

/// The functions that differ, in order, those of the version before first: "torch/_inductor/lowering.py:cat".
[[nodiscard]] std::vector<std::string> changed_functions(const ChangedFile& file);

/// Of one file after the change, in bytes: twice the largest file of torch's compiler.
inline constexpr std::size_t kLargestFile = std::size_t{1} << 20;
/// Of all files after the change, in bytes: they are stored, sent and diffed together.
inline constexpr std::size_t kLargestPatch = std::size_t{4} << 20;

/// `torch_folder`: the installed package. Every SEARCH is found in the installed file, at exactly one place, whatever
/// the other edits replace; line ends stay as they are in the file. What agent/fixing/forbidden.h names is refused.
/// REQUIRES: the change has edits. The error is written for the model: all that is wrong, one line for each edit.
[[nodiscard]] tl::expected<Patch, std::string> make_patch(const ProposedChange& change,
                                                          const std::filesystem::path& torch_folder);

}  // namespace parityd::agent
