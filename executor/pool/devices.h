// The GPUs that workers see, and what a device's error says about the device: from CUDA's words and from the driver's
// (Xid). Pure but for visible_gpus(); any thread.
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

// The GPUs that workers started on this machine see. Any thread.

/// Each as CUDA_VISIBLE_DEVICES takes it: its number in the order of the bus, as workers count (CUDA_DEVICE_ORDER), or
/// what the variable calls it where it is set; its list ends, as for CUDA, where it names no GPU. Asks no driver: a GPU
/// is a `nvidia0` beside `nvidiactl` in `devices`, at least one where there is the latter.
[[nodiscard]] std::vector<std::string> visible_gpus(const std::filesystem::path& devices = "/dev");

}  // namespace parityd::executor
