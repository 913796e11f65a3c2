#include "executor/pool/visible_gpus.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <system_error>

#include "oracle/rules/message.h"

namespace parityd::executor {
namespace fs = std::filesystem;
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_gpu(const fs::path& device) {
  constexpr std::string_view kGpu = "nvidia";
  const std::string name = device.filename();
  return name.starts_with(kGpu) && is_number(std::string_view(name).substr(kGpu.size()));
}

std::size_t gpus_in(const fs::path& devices) {
  std::error_code failed;
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(devices, failed)) {
    count += is_gpu(entry.path()) ? 1 : 0;
  }
  return std::max<std::size_t>(count, 1);
}

/// By a number that there is, or by a UUID.
bool names_gpu(const std::string& word, std::size_t count) {
  if (!is_number(word)) {
    return word.starts_with("GPU-") || word.starts_with("MIG-");
  }
  std::size_t number = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
  return read.ec == std::errc() && number < count;
}

}  // namespace

std::vector<std::string> visible_gpus(const fs::path& devices) {
  if (!fs::exists(devices / "nvidiactl")) {
    return {};
  }
  const std::size_t count = gpus_in(devices);
  std::vector<std::string> gpus;
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr) {
    for (std::size_t number = 0; number < count; ++number) {
      gpus.push_back(std::to_string(number));
    }
    return gpus;
  }
  std::istringstream words(visible);
  for (std::string word; std::getline(words, word, ',');) {
    const std::string name(oracle::trimmed(word));
    if (!names_gpu(name, count)) break;
    gpus.push_back(name);
  }
  return gpus;
}

}  // namespace parityd::executor
