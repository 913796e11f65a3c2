#include "executor/pool/devices.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <sstream>
#include <system_error>

#include "oracle/rules/message.h"

namespace parityd::executor {
namespace fs = std::filesystem;
namespace {

struct Words {
  std::string_view piece;  // of the text in lower case
  DeviceFault fault;
};

/// Texts of cudaGetErrorString() (CUDA 12 and 13) and of torch's allocator, and the actions that Xid 154 requests.
constexpr std::array kWords = {
    Words{"illegal memory access", DeviceFault::context},
    Words{"device-side assert", DeviceFault::context},
    Words{"unspecified launch failure", DeviceFault::context},
    Words{"misaligned address", DeviceFault::context},
    Words{"illegal instruction", DeviceFault::context},
    Words{"invalid program counter", DeviceFault::context},
    Words{"launch timed out", DeviceFault::context},
    Words{"hardware stack error", DeviceFault::context},
    Words{"cuda error", DeviceFault::context},
    Words{"cuda out of memory", DeviceFault::memory},
    Words{"cuda error: out of memory", DeviceFault::memory},
    Words{"uncorrectable ecc error", DeviceFault::reset},
    Words{"uncorrectable nvlink error", DeviceFault::reset},
    Words{"gpu reset required", DeviceFault::reset},
    Words{"drain and reset", DeviceFault::reset},
    Words{"gpu is lost", DeviceFault::gone},
    Words{"fallen off the bus", DeviceFault::gone},
    Words{"no cuda-capable device", DeviceFault::gone},
    Words{"devices are busy or unavailable", DeviceFault::gone},
    Words{"system not yet initialized", DeviceFault::gone},
    Words{"driver mismatch", DeviceFault::gone},
    Words{"node reboot required", DeviceFault::gone},
};

/// NVIDIA's catalogue of Xid errors says what to do. The errors not listed end only the application that met them. 154
/// states the action in words.
constexpr std::array kResetXids = {46, 48, 62, 64, 74, 92, 95, 109, 119, 120, 136, 140, 143};
constexpr std::array kGoneXids = {79};

DeviceFault of_xid(int number) {
  if (std::ranges::find(kGoneXids, number) != kGoneXids.end()) return DeviceFault::gone;
  const bool reset = std::ranges::find(kResetXids, number) != kResetXids.end();
  return reset ? DeviceFault::reset : number == 154 ? DeviceFault::none : DeviceFault::context;
}

/// The text after "xid": "(PCI:0000:19:00): 79, pid=…", or just the number.
DeviceFault xid_after(std::string_view text) {
  if (const auto bracket = text.find("): "); text.starts_with(" (") && bracket != std::string_view::npos) {
    text.remove_prefix(bracket + 3);
  } else if (text.starts_with(' ')) {
    text.remove_prefix(1);
  }
  int number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc() ? of_xid(number) : DeviceFault::none;
}

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
  for (const auto& entry : fs::directory_iterator(devices, failed)) count += is_gpu(entry.path()) ? 1 : 0;
  return std::max<std::size_t>(count, 1);
}

/// By the number of an existing GPU, or by a UUID.
bool names_gpu(const std::string& word, std::size_t count) {
  if (!is_number(word)) return word.starts_with("GPU-") || word.starts_with("MIG-");
  std::size_t number = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
  return read.ec == std::errc() && number < count;
}

}  // namespace

DeviceFault device_fault(std::string_view text) {
  const std::string small = oracle::lowered(text);
  DeviceFault worst = DeviceFault::none;
  for (const auto& words : kWords) {
    if (small.find(words.piece) != std::string::npos) worst = std::max(worst, words.fault);
  }
  for (auto at = small.find("xid"); at != std::string::npos; at = small.find("xid", at + 1)) {
    worst = std::max(worst, xid_after(std::string_view(small).substr(at + 3)));
  }
  return worst;
}

std::vector<std::string> visible_gpus(const fs::path& devices) {
  if (!fs::exists(devices / "nvidiactl")) return {};
  const std::size_t count = gpus_in(devices);
  std::vector<std::string> gpus;
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr) {
    for (std::size_t number = 0; number < count; ++number) gpus.push_back(std::to_string(number));
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
