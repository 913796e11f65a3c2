#include "store/base/torch_version.h"

#include <array>
#include <cctype>

namespace parityd::store {
namespace {

/// Release, stage (development, alpha, beta, candidate, release), number of the stage.
using Key = std::array<long, 6>;
constexpr long kRelease = 4;
constexpr int kMostDigits = 12;

long take_number(std::string_view& text) {
  long number = 0;
  for (int digits = 0; !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0;
       text.remove_prefix(1)) {
    number = digits++ < kMostDigits ? number * 10 + (text.front() - '0') : number;
  }
  return number;
}

bool is_digit_after_dot(std::string_view text) {
  return text.size() > 1 && text.front() == '.' && std::isdigit(static_cast<unsigned char>(text[1])) != 0;
}

Key key_of(std::string_view text) {
  text = text.substr(0, text.find('+'));
  Key key{0, 0, 0, 0, kRelease, 0};
  key[0] = take_number(text);
  for (std::size_t part = 1; is_digit_after_dot(text); ++part) {
    text.remove_prefix(1);
    const long number = take_number(text);
    if (part < 4) key.at(part) = number;
  }
  if (!text.empty() && text.front() == '.') text.remove_prefix(1);
  constexpr std::array<std::string_view, 4> kStages{"dev", "a", "b", "rc"};
  for (std::size_t stage = 0; stage < kStages.size(); ++stage) {
    if (!text.starts_with(kStages.at(stage))) continue;
    text.remove_prefix(kStages.at(stage).size());
    key[4] = static_cast<long>(stage);
    key[5] = take_number(text);
    break;
  }
  return key;
}

}  // namespace

std::strong_ordering compare_torch(std::string_view left, std::string_view right) {
  const Key first = key_of(left), second = key_of(right);
  for (std::size_t part = 0; part < first.size(); ++part) {
    if (first.at(part) != second.at(part)) return first.at(part) <=> second.at(part);
  }
  return std::strong_ordering::equal;
}

}  // namespace parityd::store
