// Merges, splits and their undoing, as requests ask for them. Called inside a transaction of who may write. One thread.
#pragma once

#include <string>
#include <string_view>

#include "agent/daemon/findings/recorder.h"
#include "store/store.h"

namespace parityd::agent {

/// What a result begins with when nothing was changed.
inline constexpr std::string_view kRefused = "refused: ";

/// "merge", "split" or "undo".
[[nodiscard]] bool is_grouping(const std::string& command);

/// Does what the request asks, in its asker's name. Returns what came of it, in words.
std::string apply_grouping(store::Store& store, Recorder& recorder, const store::RequestRow& request,
                           store::Millis now);

}  // namespace parityd::agent
