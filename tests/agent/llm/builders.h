// For tests without a socket: a prompt, a priced provider, a folder that goes away.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "agent/config.h"
#include "agent/llm/provider.h"
#include "tests/catch.h"

namespace parityd::agent::testing {

inline Prompt prompt_of(const std::string& text) {
  return {.purpose = Purpose::generate,
          .strategy = "operators",
          .messages = {{.role = Message::Role::system, .text = "You write programs."},
                       {.role = Message::Role::user, .text = text}},
          .seed = 7};
}

/// One dollar in, a quarter of it for cached tokens, two out: a million tokens.
inline ProviderConfig provider_at(const std::string& base_url) {
  ProviderConfig config;
  config.name = "test";
  config.base_url = base_url;
  config.model = "small";
  config.max_output_tokens = 1000;
  config.price = ModelPrice{.input = 1, .cached_input = 0.25, .cache_write = 1.25, .output = 2};
  return config;
}

inline std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  REQUIRE(stream.good());
  return {std::istreambuf_iterator<char>(stream), {}};
}

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "parityd-llm-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// A file of that name in it.
  [[nodiscard]] std::filesystem::path write(const std::string& name, const std::string& text) const {
    auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace parityd::agent::testing
