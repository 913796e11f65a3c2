#include "recording.h"

#include <nlohmann/json.hpp>

#include <stdexcept>

#include "oracle/evidence.h"
#include "oracle/json.h"

namespace parityd::worker {

oracle::Mode mode_named(const std::string& name) {
  const auto mode = oracle::mode_from_name(name);
  if (!mode) throw std::invalid_argument("no such mode: " + name);
  return *mode;
}

int Recording::adopt_storage(std::unique_ptr<std::byte[]> bytes, std::size_t size) {
  bytes_.push_back(std::move(bytes));
  record_.storages.push_back({.data = bytes_.back().get(), .size = size});
  size_ += size;
  return static_cast<int>(record_.storages.size()) - 1;
}

std::string measure(const std::vector<const Recording*>& recordings,
                    const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::vector<const oracle::RunRecord*> records;
  for (const Recording* recording : recordings) records.push_back(&recording->record());
  std::vector<std::pair<oracle::Mode, oracle::Mode>> modes;
  for (const auto& [expected, actual] : pairs) modes.emplace_back(mode_named(expected), mode_named(actual));
  const nlohmann::json measurements = oracle::measure_pairs(records, modes).measurements;
  return measurements.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace parityd::worker
