// The GPUs that workers started on this machine see. Any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace parityd::executor {

/// Each as CUDA_VISIBLE_DEVICES takes it: its number in the order of the bus, as workers count (CUDA_DEVICE_ORDER), or
/// what the variable calls it where it is set; its list ends, as for CUDA, where it names no GPU. Asks no driver: a GPU
/// is a `nvidia0` beside `nvidiactl` in `devices`, at least one where there is the latter.
[[nodiscard]] std::vector<std::string> visible_gpus(const std::filesystem::path& devices = "/dev");

}  // namespace parityd::executor
