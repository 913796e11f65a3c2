// The kept inputs and what the tests do with them. One thread.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/shapes.h"

namespace parityd::fuzz {

[[nodiscard]] std::filesystem::path folder(const char* name);
/// The files of corpus/NAME, by name.
[[nodiscard]] std::vector<std::filesystem::path> files(const char* name);

using Feed = std::function<void(std::string_view)>;

/// Every file of corpus/NAME, then `count` damaged ones, half of the damage knowing their `shape`. Where a promise does
/// not hold the test fails with seed and input; a sanitizer that ends the process has them printed first.
/// PARITYD_FUZZ_SEED chooses another seed than the usual one, PARITYD_FUZZ_TIMES so many times the damage.
void feed_corpus(const char* name, const Feed& feed);
void feed_mutations(const char* name, int count, const Feed& feed, std::optional<Shape> shape = std::nullopt);

}  // namespace parityd::fuzz
