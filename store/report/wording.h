// A title and a summary of a finding that a model may write: the facts it is given, and whether what it wrote says only
// those. Pure; any thread.
#pragma once

#include <tl/expected.hpp>

#include <string>

#include "store/report/draft.h"

namespace parityd::store {

/// What is measured and known, as one JSON object; the program and messages in it are capped.
[[nodiscard]] std::string wording_facts(const DraftFacts& facts);

struct Wording {
  std::string title, summary;
};

/// Reads a reply: one JSON object, the title at most 100 characters, the summary at most five sentences, without links,
/// mentions and references, each number and each operator in them one of `facts`. Else why not, in words.
[[nodiscard]] tl::expected<Wording, std::string> checked_wording(const std::string& reply, const std::string& facts);

}  // namespace parityd::store
