// Damage, the same on every machine for the same seed: what a fuzzer does, without its compiler. One thread.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/shapes.h"

namespace parityd::fuzz {

class Mutations {
 public:
  /// `corpus` must not be empty. With a `shape` half of the changes know it.
  Mutations(std::vector<std::string> corpus, std::uint32_t seed, std::optional<Shape> shape = std::nullopt)
      : corpus_(std::move(corpus)), random_(seed), shape_(shape) {}

  /// One of the corpus with one to four changes: bytes turned, cut out, doubled, put in or taken from another; numbers,
  /// words and lengths replaced by what parsers get wrong.
  [[nodiscard]] std::string next();

 private:
  [[nodiscard]] std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  void change(std::string& text);
  void replace_number(std::string& text);

  std::vector<std::string> corpus_;
  std::mt19937 random_;
  std::optional<Shape> shape_;
};

}  // namespace parityd::fuzz
