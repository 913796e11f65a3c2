#include "executor/pool/device_fault.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "oracle/rules/message.h"

namespace parityd::executor {
namespace {

struct Words {
  std::string_view piece;  // of the text in small letters
  DeviceFault fault;
};

/// cudaGetErrorString() of CUDA 12 and 13, torch's allocator, and the actions that Xid 154 asks for.
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

/// NVIDIA's catalogue of Xid errors: what is to be done. Others end the application that met them. 154 says it in
/// words.
constexpr std::array kResetXids = {46, 48, 62, 64, 74, 92, 95, 109, 119, 120, 136, 140, 143};
constexpr std::array kGoneXids = {79};

DeviceFault of_xid(int number) {
  if (std::ranges::find(kGoneXids, number) != kGoneXids.end()) {
    return DeviceFault::gone;
  }
  const bool reset = std::ranges::find(kResetXids, number) != kResetXids.end();
  return reset ? DeviceFault::reset : number == 154 ? DeviceFault::none : DeviceFault::context;
}

/// After "xid": "(PCI:0000:19:00): 79, pid=…", or the number alone.
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

}  // namespace

DeviceFault device_fault(std::string_view text) {
  const std::string small = oracle::lowered(text);
  DeviceFault worst = DeviceFault::none;
  for (const auto& words : kWords) {
    if (small.find(words.piece) != std::string::npos) {
      worst = std::max(worst, words.fault);
    }
  }
  for (auto at = small.find("xid"); at != std::string::npos; at = small.find("xid", at + 1)) {
    worst = std::max(worst, xid_after(std::string_view(small).substr(at + 3)));
  }
  return worst;
}

}  // namespace parityd::executor
