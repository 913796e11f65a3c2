// Whole files, and a folder that is removed with its object.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

namespace parityd::tests {

/// Empty where there is no such file.
[[nodiscard]] inline std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// In place of what is there; the file's folder has to exist.
inline void write_file(const std::filesystem::path& file, std::string_view text) {
  std::ofstream(file, std::ios::binary) << text;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "parityd-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), "mkdtemp");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Writes a file of that name, and makes the folders on its way.
  std::filesystem::path write(const std::filesystem::path& name, std::string_view text) const {
    auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    write_file(file, text);
    return file;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace parityd::tests
