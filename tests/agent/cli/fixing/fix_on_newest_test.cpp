// What is told of a change on the newest torch.
#include "agent/cli/fixing/fix_on_newest.h"

#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using store::RecheckResult;

namespace {

std::string told(RecheckResult with, RecheckResult without) {
  agent::BothJudged judged;
  judged.with.result = with;
  judged.without.result = without;
  judged.faultless = with == RecheckResult::gone;
  judged.with.reason = "with\nit";
  judged.without.reason = "without it";
  return agent::newest_sentence("9.9", judged);
}

}  // namespace

TEST_CASE("one sentence says what the finding does on the newest torch") {
  CHECK(told(RecheckResult::gone, RecheckResult::still) == "torch 9.9: the change applies, and the finding vanishes");
  CHECK(told(RecheckResult::gone, RecheckResult::different) ==
        "torch 9.9: the change applies, and the finding vanishes");
  CHECK(told(RecheckResult::still, RecheckResult::still) ==
        "torch 9.9: the change applies, but the finding still shows");
  CHECK(told(RecheckResult::gone, RecheckResult::gone) ==
        "torch 9.9: the change applies, but the finding is already gone");
  CHECK(told(RecheckResult::different, RecheckResult::still) ==
        "torch 9.9: the change applies, but the program is wrong in another way: with it");
  CHECK(told(RecheckResult::gone, RecheckResult::cannot) ==
        "torch 9.9: the change applies, but could not be tried: without it");
  CHECK(told(RecheckResult::cannot, RecheckResult::still) ==
        "torch 9.9: the change applies, but could not be tried: with it");
}

TEST_CASE("without a newer torch nothing is told") {
  const tests::Folder folder;
  const store::Store store(folder.database(), store::Access::write);
  CHECK(agent::on_newest({}, {}, store, {}, [](const std::string&) {}).empty());
}
