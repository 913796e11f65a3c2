// The JSON of a try's parts, as its columns hold them. Pure; any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "store/findings/fixes.h"

namespace parityd::store {

[[nodiscard]] nlohmann::json files_json(const std::vector<FixedFile>& files);
[[nodiscard]] nlohmann::json checks_json(const std::vector<FixCheck>& checks);

// They read that back and throw nlohmann::json::exception for anything else.

[[nodiscard]] std::vector<FixedFile> files_from(const nlohmann::json& json);
[[nodiscard]] std::vector<FixCheck> checks_from(const nlohmann::json& json);
[[nodiscard]] std::vector<Id> ids_from(const nlohmann::json& json);

}  // namespace parityd::store
