// Work to do once the turn's rows are committed: nothing is sent before it is written down.
#pragma once

#include <functional>
#include <vector>

namespace parityd::agent {

using Outbox = std::vector<std::function<void()>>;

}  // namespace parityd::agent
