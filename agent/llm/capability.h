// What a model turns out not to take is left out from then on. Pure; any thread.
#pragma once

#include <string>

#include "agent/config.h"

namespace parityd::agent {

/// Whether requests so configured held that optional field and can do without; then `config` is changed so that they
/// do. The limit of a reply has two names, of which the other is taken.
[[nodiscard]] bool leave_out(ProviderConfig& config, const std::string& field);

}  // namespace parityd::agent
