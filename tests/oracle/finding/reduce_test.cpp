#include "oracle/finding/reduce.h"

#include <algorithm>
#include <functional>
#include <string>

#include "tests/catch.h"

using namespace parityd::oracle;

namespace {

/// Texts of letters; what may go is said by the test.
struct Letters {
  ReductionStyle style = ReductionStyle::subset;
  std::function<bool(const std::string&)> shows;
  int tried = 0;
  int most_in_flight = 0;

  [[nodiscard]] std::vector<ReductionOffer> offers(const std::string& text) const {
    std::vector<ReductionOffer> offers;
    for (std::size_t at = 0; at < text.size(); ++at) offers.push_back({std::to_string(at), "letters", style});
    return offers;
  }
  [[nodiscard]] std::string without(const std::string& text, const std::vector<std::string>& ids) const {
    if (style == ReductionStyle::nested) return text.substr(text.size() - std::stoul(ids.front()));
    std::string left;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (std::find(ids.begin(), ids.end(), std::to_string(at)) == ids.end()) left += text[at];
    }
    return left;
  }
  /// Answers come in the reverse of the order in which they were asked for.
  std::string reduced(const std::string& program, int room) {
    Reduction search(program);
    for (int turn = 0; turn < 10'000 && !search.done(); ++turn) {
      if (search.wants_offers()) search.offered(offers(search.best()));
      auto candidates = search.next(room);
      most_in_flight = std::max(most_in_flight, static_cast<int>(candidates.size()));
      const std::string base = search.best();
      std::reverse(candidates.begin(), candidates.end());
      for (const auto& candidate : candidates) {
        const std::string text = without(base, candidate.ids);
        ++tried;
        search.told(candidate.number, shows(text), text);
      }
    }
    REQUIRE(search.done());
    return search.best();
  }
};

bool holds(const std::string& text, const std::string& letters) {
  return std::all_of(letters.begin(), letters.end(), [&](char c) { return text.find(c) != std::string::npos; });
}

}  // namespace

TEST_CASE("reduction: what is needed is kept, whatever the parallelism") {
  for (const int room : {1, 2, 5}) {
    for (const auto style : {ReductionStyle::subset, ReductionStyle::choose}) {
      CAPTURE(room);
      Letters letters{.style = style, .shows = [](const std::string& text) { return holds(text, "dkq"); }};
      CHECK(letters.reduced("abcdefghijklmnopqrstuvwxyz", room) == "dkq");
      CHECK(letters.most_in_flight <= room);
    }
  }
}

TEST_CASE("reduction: a failed cut is not retried after each step") {
  Letters letters{.style = ReductionStyle::choose,
                  .shows = [](const std::string& text) { return holds(text, "abcdefghij"); }};
  CHECK(letters.reduced("abcdefghijklmnopqrst", 1) == "abcdefghij");
  CHECK(letters.tried == 30);  // twenty letters, and those that are left once more
}

TEST_CASE("reduction: subsets need fewer trials than single cuts") {
  const auto shows = [](const std::string& text) { return holds(text, "d"); };
  Letters subset{.style = ReductionStyle::subset, .shows = shows};
  Letters single{.style = ReductionStyle::choose, .shows = shows};
  CHECK(subset.reduced("abcdefghijklmnopqrstuvwxyz", 1) == "d");
  CHECK(single.reduced("abcdefghijklmnopqrstuvwxyz", 1) == "d");
  CHECK(subset.tried * 2 < single.tried);
}

TEST_CASE("reduction: nested cuts are bisected") {
  for (const int room : {1, 3}) {
    Letters letters{.style = ReductionStyle::nested, .shows = [](const std::string& text) { return holds(text, "x"); }};
    CHECK(letters.reduced("abcdefghijklmnopqrstuvwxyz", room) == "xyz");
    CHECK(letters.tried < 30);
  }
}

TEST_CASE("reduction: if nothing can be removed the program is unchanged and the search ends") {
  Letters letters{.style = ReductionStyle::subset, .shows = [](const std::string&) { return false; }};
  CHECK(letters.reduced("abc", 2) == "abc");
  Reduction empty("program");
  empty.offered({});
  CHECK(empty.done());
  CHECK(empty.next(3).empty());
}

TEST_CASE("reduction: an earlier best text does not return") {
  Reduction search("ab");
  const std::vector<ReductionOffer> offers{{"swap", "swap", ReductionStyle::choose}};
  search.offered(offers);
  auto candidates = search.next(1);
  REQUIRE(candidates.size() == 1);
  search.told(candidates[0].number, true, "ba");
  search.offered(offers);
  candidates = search.next(1);
  REQUIRE(candidates.size() == 1);
  search.told(candidates[0].number, true, "ab");
  CHECK(search.best() == "ba");
}

TEST_CASE("reduction: answers about a superseded text are ignored") {
  Reduction search("abc");
  const std::vector<ReductionOffer> offers{{"0", "f", ReductionStyle::choose}, {"1", "f", ReductionStyle::choose}};
  search.offered(offers);
  const auto candidates = search.next(2);
  REQUIRE(candidates.size() == 2);
  search.told(candidates[0].number, true, "bc");
  search.told(candidates[1].number, true, "ac");
  CHECK(search.best() == "bc");
  CHECK(search.wants_offers());
}

TEST_CASE("reduction: families are tried in turn, and again after a change") {
  // "b" can only go once "c" has gone.
  Reduction search("abc");
  std::vector<std::string> asked;
  while (!search.done()) {
    if (search.wants_offers()) {
      std::vector<ReductionOffer> offers;
      for (const char letter : search.best()) offers.push_back({{letter}, {letter}, ReductionStyle::choose});
      search.offered(offers);
    }
    const std::string base = search.best();
    for (const auto& candidate : search.next(1)) {
      const char letter = candidate.ids[0][0];
      asked.push_back(candidate.ids[0]);
      std::string text = base;
      text.erase(text.find(letter), 1);
      search.told(candidate.number, letter == 'c' || (letter == 'b' && base.find('c') == std::string::npos), text);
    }
  }
  CHECK(search.best() == "a");
}

TEST_CASE("reduction: a lack of capacity does not end the search") {
  Reduction search("ab");
  search.offered({{"0", "f", ReductionStyle::choose}, {"1", "g", ReductionStyle::nested}});
  CHECK(search.next(0).empty());
  CHECK_FALSE(search.done());
  CHECK(search.next(1).size() == 1);
}
