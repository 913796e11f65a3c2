// Which findings' neutralisers are on while a program is screened.
#include "agent/daemon/program/step_over.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "store/work/programs.h"
#include "tests/catch.h"

using namespace parityd;
using agent::StepOver;

namespace {

store::FindingRow finding(const std::string& neutraliser, const std::vector<std::string>& operators,
                          store::Id occurrences = 1) {
  store::FindingRow row;
  row.neutraliser = neutraliser;
  row.operators = operators;
  row.device = "cpu";
  row.occurrences = occurrences;
  return row;
}

const std::string kSoftmax = "return torch.softmax(x, 0) + F.interpolate(x)\n";
const store::FindingRow kFinding =
    finding("lowering aten._softmax.default", {"aten._softmax.default", "aten.add.Tensor"});

/// How often each line was chosen in a thousand draws; "" for nothing.
std::map<std::string, int> chosen(const StepOver& step_over, const std::string& program,
                                  const std::string& device = "cpu") {
  std::map<std::string, int> times;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) times[oracle::line(step_over.choose(program, device, seed))] += 1;
  return times;
}

}  // namespace

TEST_CASE("the configured share of programs is masked, the same ones after a restart") {
  StepOver step_over(0.15);
  step_over.set_findings({kFinding});
  const auto times = chosen(step_over, kSoftmax);
  CHECK(times.at("lowering aten._softmax.default") > 110);
  CHECK(times.at("lowering aten._softmax.default") < 190);
  CHECK(times.size() == 2);
  CHECK(chosen(step_over, kSoftmax) == times);
  CHECK(chosen(StepOver(1), kSoftmax).at("") == 1000);  // nothing is known
}

TEST_CASE("a program is masked only with findings that it may show on its device and that no newer torch fixed") {
  StepOver step_over(1);
  auto merged = kFinding, fixed = kFinding, unexplained = kFinding;
  merged.merged_into = 1;
  fixed.status = store::FindingStatus::fixed;
  unexplained.neutraliser = "";
  step_over.set_findings({merged, fixed, unexplained});
  CHECK(chosen(step_over, kSoftmax).at("") == 1000);
  step_over.set_findings({kFinding});
  CHECK(chosen(step_over, kSoftmax).at("lowering aten._softmax.default") == 1000);
  CHECK(chosen(step_over, kSoftmax, "cuda").at("") == 1000);
  CHECK(chosen(step_over, "return torch.sin(x) + 1\n").at("") == 1000);
}

TEST_CASE("only a few findings are masked at once, frequent ones more often, never two values of one setting") {
  StepOver step_over(1);
  step_over.set_findings({finding("lowering aten._softmax.default", {"aten._softmax.default"}, 100),
                          finding("lowering aten.amax.default", {"aten._softmax.default"}),
                          finding("decomposition aten.amin.default", {"aten._softmax.default"}),
                          finding("config inductor.max_fusion_size=1", {"aten._softmax.default"}, 20),
                          finding("config inductor.max_fusion_size=2", {"aten._softmax.default"}, 20)});
  int often = 0, seldom = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    std::set<std::string> names;
    const auto all = step_over.choose(kSoftmax, "cpu", seed);
    CHECK(all.size() <= 3);
    for (const auto& each : all) names.insert(each.name);
    CHECK(names.size() == all.size());
    often += static_cast<int>(names.count("aten._softmax.default"));
    seldom += static_cast<int>(names.count("aten.amin.default"));
  }
  CHECK(often > 990);
  CHECK(seldom > 0);
  CHECK(seldom < 500);
}

TEST_CASE("queued and rerun programs are not masked") {
  using enum store::Origin;
  for (const auto origin : {reply, repair, corpus, mutant, composed}) CHECK(store::is_made(origin));
  for (const auto origin : {import, residual, sentinel}) CHECK_FALSE(store::is_made(origin));
}
