// The kinds of devices that programs run on: the rows of executor/shared/devices.json (docs/adding-a-device.md). Pure
// data; any thread.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "oracle/names.h"

namespace parityd::oracle {

enum class DeviceKind {
#include "oracle/device_names.inc"
};

/// What C++ needs to know of a kind; the worker reads more of the row.
struct DeviceRow {
  std::string_view name{};     // torch.device's name, also used in the protocol, the database and every page
  std::string_view words{};    // its name in titles
  std::string_view kernels{};  // what Inductor writes kernels in: decides which of its settings concern them
  bool threads = false;        // kernels run on as many threads as OPTIONS say
  std::string_view module{};   // torch's module for the kind; empty: the processor
  std::string_view visible{};  // the environment variable that selects the devices a process sees
};

inline constexpr auto kDeviceRows = std::to_array<DeviceRow>({
#include "oracle/device_rows.inc"
});

constexpr auto names(DeviceKind) {
  std::array<std::string_view, kDeviceRows.size()> all;
  std::ranges::transform(kDeviceRows, all.begin(), &DeviceRow::name);
  return all;
}

[[nodiscard]] constexpr const DeviceRow& row(DeviceKind kind) { return kDeviceRows.at(static_cast<std::size_t>(kind)); }
[[nodiscard]] constexpr bool is_gpu(DeviceKind kind) { return !row(kind).module.empty(); }

/// By its name in the database and the configuration; the processor if no kind has that name.
[[nodiscard]] constexpr DeviceKind device_named(std::string_view text) {
  return from_name<DeviceKind>(text).value_or(DeviceKind::cpu);
}

}  // namespace parityd::oracle
