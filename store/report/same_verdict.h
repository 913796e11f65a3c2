// The verdict of torch._dynamo.utils.same on a finding and, if it returns "same" for values that differ, which of its
// gaps hides them. Maintainers ask for this verdict first. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "store/store.h"

namespace parityd::store {

/// Markdown. Contains kSameDiffers, or kSameGap and the gap in words; neither if no known gap hides the difference, or
/// if `same` was not called.
[[nodiscard]] std::string same_sentence(const EvidenceRow& round);

inline constexpr std::string_view kSameDiffers = "says **False**";
inline constexpr std::string_view kSameGap = "**What hides it from `same`**: ";

}  // namespace parityd::store
