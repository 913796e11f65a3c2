// An overlay: changed Python files of torch, put before the installed package without touching it. The tree made of it
// is a folder `torch` of links to the installed files, with real folders only on the way to what the overlay changes.
// Blocks; any thread.
#pragma once

#include <tl/expected.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace parityd::agent {

/// Paths relative to site-packages, sorted: "torch/_inductor/lowering.py".
struct Overlay {
  std::filesystem::path folder;
  std::vector<std::filesystem::path> changed;  // torch has them
  std::vector<std::filesystem::path> added;    // torch has not
};

/// `torch_folder`: the installed package. The error names the file that is no Python file of torch, or what is missing.
[[nodiscard]] tl::expected<Overlay, std::string> read_overlay(const std::filesystem::path& folder,
                                                              const std::filesystem::path& torch_folder);

/// Makes `tree`, which must not be there yet, readable by anyone. Throws std::filesystem::filesystem_error.
void make_overlay_tree(const Overlay& overlay, const std::filesystem::path& torch_folder,
                       const std::filesystem::path& tree);

}  // namespace parityd::agent
