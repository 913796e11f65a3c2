#include "recording.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>

#include "oracle/compare.h"
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
  const auto find = [&recordings](oracle::Mode mode) {
    return std::find_if(recordings.begin(), recordings.end(),
                        [mode](const Recording* recording) { return recording->record().mode == mode; });
  };
  nlohmann::json measurements = nlohmann::json::array();
  for (const auto& [expected_name, actual_name] : pairs) {
    const auto expected = find(mode_named(expected_name));
    const auto actual = find(mode_named(actual_name));
    if (expected == recordings.end() || actual == recordings.end()) continue;
    measurements.push_back(oracle::compare((*expected)->record(), (*actual)->record()));
  }
  return measurements.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace parityd::worker
