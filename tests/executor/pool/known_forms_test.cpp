#include "executor/pool/known_forms.h"

#include "tests/catch.h"

using parityd::executor::KnownForms;
using Forms = std::vector<std::uint64_t>;

TEST_CASE("known forms are sent once to each worker, all of them to a new one, and none of another torch") {
  KnownForms known;
  CHECK(known.after(0).empty());
  known.add({7, 5});
  known.add({5, 9});
  CHECK(known.after(0) == Forms{7, 5, 9});
  CHECK(known.after(2) == Forms{9});
  CHECK(known.after(3).empty());
  known.clear();
  CHECK(known.after(0).empty());
  known.add({5});
  CHECK(known.after(0) == Forms{5});
}

TEST_CASE("the number of known forms is limited by the size of a message") {
  KnownForms known;
  Forms forms(KnownForms::kMost + 5);
  for (std::size_t number = 0; number < forms.size(); ++number) forms[number] = (std::uint64_t{1} << 52U) - 1 - number;
  known.add(forms);
  CHECK(known.after(0).size() == KnownForms::kMost);
  CHECK(known.after(0).size() * 17 < std::size_t{8} << 20U);  // 16 digits and a comma; docs/protocol.md
}
