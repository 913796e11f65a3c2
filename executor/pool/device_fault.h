// What a device's error says about the device: from CUDA's words and from the driver's (Xid). Pure; any thread.
#pragma once

#include <string_view>

#include "oracle/names.h"
namespace parityd::executor {

using oracle::name;

enum class DeviceFault {
  none,
  context,  // the process is done, the device is not: a new process helps
  memory,   // taken, by this process or by another job
  reset,    // the device must be reset before anything counts again
  gone,     // not there, or not ours to use
};
constexpr auto names(DeviceFault) {
  return std::to_array<std::string_view>({"none", "context", "memory", "reset", "gone"});
}

/// The worst that `text` names: a worker's last words, why it was replaced, lines of the kernel's log.
[[nodiscard]] DeviceFault device_fault(std::string_view text);

/// Nothing more is run on such a device until a worker starts on it again.
[[nodiscard]] inline bool parks_device(DeviceFault fault) {
  return fault == DeviceFault::reset || fault == DeviceFault::gone;
}

}  // namespace parityd::executor
