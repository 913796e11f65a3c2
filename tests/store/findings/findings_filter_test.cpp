// Filters of the list of findings, and what a finding can be looked for by.
#include "store/findings/known_issues.h"
#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;

namespace {

using Filter = store::FindingFilter;

/// Findings 1 (plain) and 2 (differs from it in all that a filter can ask).
class Two {
 public:
  Two() : store_(folder_.database(), store::Access::write) {
    const auto program = added(store_, finished(a_program("a"), oracle::VerdictKind::inconsistent));
    auto first = a_finding(program.id, "one");
    first.operators = {"aten.max.default", "aten.add.Tensor"};
    first.dtypes = {"int8"};
    (void)store_.findings.add(first);
    auto second = a_finding(program.id, "two");
    second.kind = oracle::Kind::crash;
    second.stage = oracle::Stage::aot_eager;
    second.status = store::FindingStatus::filed;
    second.disposition = oracle::held("stride");
    second.trigger = oracle::Trigger::edge;
    second.device = "cuda";
    second.torch = "2.6.0+cu124";
    second.operators = {"aten.maximum.default"};
    second.dtypes = {"bfloat16", "float32"};
    second.created_at = 9'000;
    second.title = "a zebra";
    (void)store_.findings.add(second);
  }
  [[nodiscard]] std::vector<store::Id> ids(const Filter& filter) const {
    std::vector<store::Id> found;
    for (const auto& row : store_.findings.list(filter)) found.push_back(row.id);
    return found;
  }
  [[nodiscard]] const store::Store& store() const { return store_; }

 private:
  Folder folder_;
  store::Store store_;
};

const std::vector<store::Id> kFirst{1}, kSecond{2}, kNone;

}  // namespace

TEST_CASE("each filter keeps the matching findings") {
  const Two two;
  CHECK(two.ids({}) == std::vector<store::Id>{1, 2});
  CHECK(two.ids({.kind = "numerical"}) == kFirst);
  CHECK(two.ids({.kind = "crash"}) == kSecond);
  CHECK(two.ids({.stage = "aot_eager"}) == kSecond);
  CHECK(two.ids({.status = "filed"}) == kSecond);
  CHECK(two.ids({.trigger = "edge"}) == kSecond);
  CHECK(two.ids({.device = "cuda"}) == kSecond);
  CHECK(two.ids({.disposition = "held"}) == kSecond);
  CHECK(two.ids({.disposition = "held(stride)"}) == kSecond);
  CHECK(two.ids({.disposition = "hel"}) == kNone);
  CHECK(two.ids({.since = 9'000}) == kSecond);
  CHECK(two.ids({.text = "zebra"}) == kSecond);
  CHECK(two.ids({.text = "ze"}) == kSecond);
  CHECK(two.ids({.kind = "crash", .device = "cpu"}) == kNone);
  CHECK(two.ids({.limit = 1}) == kFirst);
}

TEST_CASE("an operator is found by its whole name") {
  const Two two;
  CHECK(two.ids({.operator_name = "max"}) == kFirst);
  CHECK(two.ids({.operator_name = "aten.max.default"}) == kFirst);
  CHECK(two.ids({.operator_name = "aten.max.dim"}) == kNone);
  CHECK(two.ids({.operator_name = "maximum"}) == kSecond);
  CHECK(two.ids({.operator_name = "maxi"}) == kNone);
  CHECK(two.store().findings.find(2)->operators == std::vector<std::string>{"aten.maximum.default"});
}

TEST_CASE("dtypes and versions of torch are matched as whole names") {
  const Two two;
  CHECK(two.ids({.dtype = "bfloat16"}) == kSecond);
  CHECK(two.ids({.dtype = "torch.int8"}) == kFirst);
  CHECK(two.ids({.dtype = "float16"}) == kNone);
  CHECK(two.ids({.torch = "2.6"}) == kSecond);
  CHECK(two.ids({.torch = "2.6.0"}) == kSecond);
  CHECK(two.ids({.torch = "2.13.0"}) == kFirst);
  CHECK(two.ids({.torch = "2.1"}) == kNone);
}

TEST_CASE("a finding's dtypes are those of its leaves and those its program names") {
  oracle::Evidence evidence;
  evidence.measurements = {{.leaves = {{.path = "output[0]", .dtype = oracle::Dtype::bfloat16, .shape_differs = true},
                                       {.path = "output[1]", .dtype = oracle::Dtype::uint8}}}};
  const auto of = [&](const char* program) { return store::dtypes_shown(evidence, program); };
  CHECK(of("") == std::vector<std::string>{"bfloat16"});
  CHECK(of("x = torch.zeros(3, dtype=torch.int8).double()") == std::vector<std::string>{"bfloat16", "float64", "int8"});
  CHECK(of("self.int8 = torch.half") == std::vector<std::string>{"bfloat16", "float16"});
  CHECK(of("torch.int8_thing.floats()") == std::vector<std::string>{"bfloat16"});
}

TEST_CASE("a finding's operators are those of the captured graph") {
  oracle::Evidence evidence;
  CHECK(store::operators_shown(evidence).empty());
  evidence.outcomes[oracle::Mode::inductor].operators = {"aten.max.dim", "aten.add.Tensor", "aten.max.dim"};
  CHECK(store::operators_shown(evidence) == std::vector<std::string>{"aten.add.Tensor", "aten.max.dim"});
}

TEST_CASE("findings that share operators are ordered by their number, then by kind, neutralised ones only") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto program = added(store, finished(a_program("a"), oracle::VerdictKind::inconsistent));
  const auto finding = [&](const std::string& name, oracle::Kind kind, std::vector<std::string> operators) {
    auto row = a_finding(program.id, name);
    row.kind = kind;
    row.operators = std::move(operators);
    row.neutraliser = "fallback: aten.max.default";
    return row;
  };
  const auto numerical = oracle::Kind::numerical, gradient = oracle::Kind::gradient;
  const auto other = store.findings.add(finding("other", gradient, {"aten.add.Tensor", "aten.sin.default"}));
  const auto one = store.findings.add(finding("one", numerical, {"aten.add.Tensor"}));
  const auto most = store.findings.add(finding("most", gradient, {"aten.add.Tensor", "aten.max.default"}));
  (void)store.findings.add(finding("none shared", numerical, {"aten.cos.default"}));
  (void)store.findings.add(finding("another kind", oracle::Kind::crash, {"aten.add.Tensor"}));
  auto elsewhere = finding("elsewhere", numerical, {"aten.add.Tensor"});
  elsewhere.device = "cuda";
  (void)store.findings.add(elsewhere);
  auto unexplained = finding("unexplained", numerical, {"aten.add.Tensor"});
  unexplained.neutraliser = "";
  (void)store.findings.add(unexplained);

  const auto sharing =
      store.findings.sharing({"aten.add.Tensor", "aten.max.default"}, {"numerical", "gradient"}, "cpu");
  CHECK(sharing == std::vector<store::Id>{most, one, other});
  CHECK(store.findings.sharing({}, {"numerical"}, "cpu").empty());
}
