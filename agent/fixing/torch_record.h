// The Python files of an installed torch, hashed before a trial and after it: nothing that tries a change may write
// there. Blocks, a second for 2300 files; one thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace parityd::agent {

class TorchRecord {
 public:
  /// Hashes every Python file below the folder of the installed package; links to folders are not followed.
  explicit TorchRecord(std::filesystem::path torch_folder);

  /// Files that are not what the package's installation record says (torch-*.dist-info/RECORD beside the folder):
  /// changed, added or missing, sorted, relative to site-packages. Somebody works on this torch; it is no error. Empty
  /// also without a record, as beside a torch built from source.
  [[nodiscard]] const std::vector<std::string>& modified() const { return modified_; }
  /// Hashes the files again: those that were changed, added or removed since, sorted. Empty: none.
  [[nodiscard]] std::vector<std::string> changed() const;

 private:
  std::filesystem::path torch_folder_;
  std::map<std::string, std::string> hashes_;  // SHA-256 by path; a file that cannot be read has none: ""
  std::vector<std::string> modified_;
};

/// "torch/_inductor/lowering.py, torch/_inductor/ir.py and 3 more". Empty without files.
[[nodiscard]] std::string some_files(const std::vector<std::string>& files, std::size_t most = 5);

}  // namespace parityd::agent
