// The order of torches, and since which one a finding is there.
#include "store/findings/version_range.h"

#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;
using store::RecheckResult;

namespace {

using Tried = std::vector<std::pair<std::string, RecheckResult>>;

std::string range(const Tried& tried, const std::string& consistent_on = "") {
  auto finding = a_finding(1, "one");  // of 2.13.0
  finding.consistent_on = consistent_on;
  std::vector<store::RecheckRow> rows;
  for (const auto& [torch, result] : tried) rows.push_back({.torch = torch, .result = result});
  return store::range_text(finding, store::torches_tried(finding, rows));
}

constexpr auto kStill = RecheckResult::still;
constexpr auto kGone = RecheckResult::gone;
constexpr auto kDifferent = RecheckResult::different;

}  // namespace

TEST_CASE("torch versions are ordered by release") {
  const std::vector<std::string> ordered{"2.6.0",
                                         "2.9.1",
                                         "2.13.0.dev20260101",
                                         "2.13.0.dev20260102",
                                         "2.13.0a0+git12ab",
                                         "2.13.0rc1",
                                         "2.13.0rc2",
                                         "2.13.0",
                                         "2.13.1+cu128",
                                         "3.0"};
  for (std::size_t left = 0; left < ordered.size(); ++left) {
    for (std::size_t right = 0; right < ordered.size(); ++right) {
      CAPTURE(ordered[left], ordered[right]);
      CHECK(std::is_lt(store::compare_torch(ordered[left], ordered[right])) == (left < right));
    }
  }
  CHECK(std::is_eq(store::compare_torch("2.13.0+cpu", "2.13.0+cu128")));
  CHECK(std::is_lt(store::compare_torch("", "2.6.0")));
}

TEST_CASE("the change lies between last good and first bad") {
  CHECK(range({}).empty());
  CHECK(range({{"2.12.0", RecheckResult::cannot}}).empty());
  CHECK(range({{"2.6.0", kGone}, {"2.12.0", kStill}, {"2.9.1", kGone}}) ==
        "consistent on 2.9.1, inconsistent on 2.12.0");
  CHECK(range({{"2.6.0", kGone}}) == "consistent on 2.6.0, inconsistent on 2.13.0");
  CHECK(range({{"2.6.0", kStill}, {"2.9.1", kStill}}) == "shown since 2.6.0, the oldest tried");
  CHECK(range({}, "2.12.0") == "consistent on 2.12.0, inconsistent on 2.13.0");
  // What shows something else says neither; a good torch before an older bad one is where it came back.
  CHECK(range({{"2.6.0", kGone}, {"2.9.1", kDifferent}}) == "consistent on 2.6.0, inconsistent on 2.13.0");
  CHECK(range({{"2.6.0", kDifferent}}) == "shown since 2.13.0");
  CHECK(range({{"2.6.0", kStill}, {"2.9.1", kGone}}) == "consistent on 2.9.1, inconsistent on 2.13.0");
}

TEST_CASE("a later torch without the difference ends the range unless an even later one shows it again") {
  CHECK(range({{"2.6.0", kGone}, {"2.14.0", kGone}, {"2.15.0", kGone}}) ==
        "consistent on 2.6.0, inconsistent on 2.13.0, no longer shown from 2.14.0 on");
  CHECK(range({{"2.14.0", kGone}, {"2.15.0", kStill}}) == "shown since 2.13.0, the oldest tried");
  CHECK(range({{"2.13.0", kGone}}).empty());  // its own torch alone, and there it is gone
  CHECK(range({{"2.13.0", kGone}, {"2.12.0", kStill}}) == "no longer shown on 2.13.0 itself");
}

TEST_CASE("the latest result on a torch counts") {
  auto finding = a_finding(1, "one");
  const auto tried = store::torches_tried(finding, {{.torch = "2.15.0", .result = kGone},
                                                    {.torch = "2.6.0", .result = kGone},
                                                    {.torch = "2.15.0", .result = kStill}});
  CHECK(store::torches_text(tried) == "2.6.0 does not show it, 2.13.0 shows it, 2.15.0 shows it");
}
