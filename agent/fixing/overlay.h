// An overlay: changed Python files of torch that take precedence over the installed package without modifying it. The
// resulting tree is a folder `torch` of links to the installed files, with real folders only on the path to changed
// files. Blocks; any thread.
#pragma once

#include <tl/expected.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "agent/fixing/patch.h"

namespace parityd::agent {

/// Paths relative to site-packages, sorted: "torch/_inductor/lowering.py".
struct Overlay {
  std::filesystem::path folder;
  std::vector<std::filesystem::path> changed;  // files that torch has
  std::vector<std::filesystem::path> added;    // files that torch does not have
};

/// `torch_folder`: the installed package. The error names the file that is not a Python file of torch, or what is
/// missing.
[[nodiscard]] tl::expected<Overlay, std::string> read_overlay(const std::filesystem::path& folder,
                                                              const std::filesystem::path& torch_folder);

/// Writes the changed files as an overlay. REQUIRES: `folder` does not exist or is empty. Throws
/// std::filesystem::filesystem_error and std::ios_base::failure.
void write_overlay(const Patch& patch, const std::filesystem::path& folder);

/// Creates `tree`, readable by anyone. REQUIRES: it does not exist yet. Throws std::filesystem::filesystem_error.
void make_overlay_tree(const Overlay& overlay, const std::filesystem::path& torch_folder,
                       const std::filesystem::path& tree);

}  // namespace parityd::agent
