#include "tests/fuzz/mutations.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace parityd::fuzz {
namespace {

constexpr std::size_t kMostChanges = 4;
constexpr std::size_t kLongestPiece = 64;

constexpr std::array<std::string_view, 12> kNumbers{"-1",
                                                    "0",
                                                    "9223372036854775807",
                                                    "-9223372036854775808",
                                                    "18446744073709551615",
                                                    "9223372036854775808",
                                                    "1e308",
                                                    "1e999",
                                                    "-0.0",
                                                    "2147483648",
                                                    "4611686018427387904",
                                                    "\"nan\""};
constexpr std::array<std::string_view, 26> kPieces{"null",
                                                   "true",
                                                   "[]",
                                                   "{}",
                                                   "\"\"",
                                                   "[[[[[[[[",
                                                   "]",
                                                   ",",
                                                   "\n",
                                                   "\xff",
                                                   "\xed\xa0",
                                                   "\\u0",
                                                   "\"\\ud800\"",
                                                   "\"eager\"",
                                                   "\"inf\"",
                                                   "\r\n\r\n",
                                                   "\n```\n",
                                                   "\n~~~~\n",
                                                   "<think>",
                                                   "\n</think>\n",
                                                   "\n>>> ",
                                                   "\n[run]\n",
                                                   "\xe2\x80\x9c",
                                                   "\xc2\xa0",
                                                   "\xef\xbb\xbf",
                                                   std::string_view("\0", 1)};

}  // namespace

void Mutations::replace_number(std::string& text) {
  const std::size_t from = below(text.size());
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto begin = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(), digit);
  const auto end = std::find_if_not(begin, text.end(), digit);
  text.replace(begin, end, kNumbers[below(kNumbers.size())]);
}

void Mutations::change(std::string& text) {
  const std::size_t at = below(text.size() + 1);
  const std::size_t length = below(std::min(kLongestPiece, text.size() - at + 1));
  const std::string& other = corpus_[below(corpus_.size())];
  switch (below(8)) {
    case 0:
      if (!text.empty()) {
        text[at % text.size()] = static_cast<char>(random_());
      }
      break;
    case 1:
      text.erase(at, length);
      break;
    case 2:
      text.insert(at, text.substr(at, length));
      break;
    case 3:
      text.insert(at, kPieces[below(kPieces.size())]);
      break;
    case 4:
      text.replace(at, length, other.substr(below(other.size()), kLongestPiece));
      break;
    case 5:
      text.resize(at);
      break;
    default:  // the change that is most often understood
      replace_number(text);
  }
}

std::string Mutations::next() {
  std::string text = corpus_[below(corpus_.size())];
  for (std::size_t left = 1 + below(kMostChanges); left > 0; --left) {
    if (shape_ && below(2) == 0) {
      text = reshaped(*shape_, text, corpus_[below(corpus_.size())], random_);
    } else {
      change(text);
    }
  }
  return text;
}

}  // namespace parityd::fuzz
