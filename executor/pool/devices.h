// The GPUs that workers see, and what an error says about the state of the device: from CUDA's messages and the
// driver's (Xid). Pure except visible_gpus(); any thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/names.h"

namespace parityd::executor {

using oracle::name;

enum class DeviceFault {
  none,
  context,  // the process is lost, the device is not: a new process helps
  memory,   // in use, by this process or by another job
  reset,    // the device must be reset before its results can be trusted again
  gone,     // not there, or not available to us
};
constexpr auto names(DeviceFault) {
  return std::to_array<std::string_view>({"none", "context", "memory", "reset", "gone"});
}

/// The worst fault that `text` names: a worker's last output, why it was replaced, lines of the kernel's log.
[[nodiscard]] DeviceFault device_fault(std::string_view text);

/// Nothing more runs on such a device until a worker has started on it again.
[[nodiscard]] inline bool parks_device(DeviceFault fault) {
  return fault == DeviceFault::reset || fault == DeviceFault::gone;
}

// The GPUs visible to workers started on this machine. Any thread.

/// Each in the form CUDA_VISIBLE_DEVICES takes: its number in bus order, as workers count (CUDA_DEVICE_ORDER); if the
/// variable is set, the names it lists, up to the first that names no GPU, as CUDA reads it. Does not ask the driver: a
/// GPU is an `nvidia0` beside `nvidiactl` in `devices`; if the latter exists, there is at least one.
[[nodiscard]] std::vector<std::string> visible_gpus(const std::filesystem::path& devices = "/dev");

}  // namespace parityd::executor
