// What torch._dynamo.utils.same says of a finding, and where it says "same" of values that differ: which of its gaps
// hides them. Maintainers ask for its verdict first. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "store/store.h"

namespace parityd::store {

/// Markdown. Holds kSameDiffers, or kSameGap and the gap in words; where none is known that hides the difference, or
/// `same` was not asked, neither.
[[nodiscard]] std::string same_sentence(const EvidenceRow& round);

inline constexpr std::string_view kSameDiffers = "says **False**";
inline constexpr std::string_view kSameGap = "**What hides it from `same`**: ";

}  // namespace parityd::store
