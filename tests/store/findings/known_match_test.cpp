// What findings are known as: by hand-made queries, and measured on findings that real runs made.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "store/base/operator_names.h"
#include "store/findings/known_issues.h"
#include "tests/catch.h"
#include "tests/files.h"

using namespace parityd;
using oracle::Kind;
using store::KnownIssue;
using store::KnownMatch;
using store::KnownQuery;

namespace {

const std::filesystem::path kSource = PARITYD_SOURCE_DIR;

const std::vector<KnownIssue>& shipped() {
  static const auto issues =
      store::parse_known_issues(tests::read_file(kSource / "store" / "known_issues.jsonl")).value().issues;
  return issues;
}

/// Made by record_known_findings.py.
nlohmann::json recorded() {
  return nlohmann::json::parse(tests::read_file(kSource / "tests" / "store" / "findings" / "known_findings.json"));
}

std::string numbers(const std::vector<KnownMatch>& matches) {
  std::string text;
  for (const KnownMatch& match : matches) text += std::to_string(match.issue) + (match.confident ? "! " : " ");
  return text;
}

KnownIssue about(const std::string& name, Kind kind = Kind::numerical) {
  KnownIssue issue;
  issue.number = 1;
  issue.operators = {name};
  issue.trait = "upsample_index";
  issue.kind = kind;
  return issue;
}

KnownQuery asking(std::vector<std::string> operators, Kind kind = Kind::numerical) {
  KnownQuery query;
  query.operators = std::move(operators);
  query.kind = kind;
  query.device = "cpu";
  return query;
}

}  // namespace

TEST_CASE("the same operator, kind and stage make a confident match, less makes a possible one or none") {
  const auto one = [](const KnownQuery& query, const KnownIssue& issue) {
    return numbers(store::match_known(query, {issue}));
  };
  const KnownQuery query = asking({"aten._softmax.default", "aten.view.default"});
  CHECK(one(query, about("softmax")) == "1! ");
  CHECK(one(asking({"aten.softmax_backward.default"}), about("softmax")) == "1! ");
  CHECK(one(asking({"aten.relu.default"}), about("softmax")).empty());
  CHECK(one(query, about("softmax", Kind::gradient)) == "1 ");
  CHECK(one(query, about("softmax", Kind::missing_check)).empty());
  SECTION("an operator that every program has says little") {
    CHECK(one(asking({"aten.add.Tensor"}), about("add")) == "1 ");
    CHECK(one(asking({"aten.add.Tensor", "aten.relu.default", "aten.mm.default"}), about("add")).empty());
  }
  SECTION("a program with many operators is not sure to be about one of them") {
    CHECK(one(asking({"aten.softmax.int", "aten.mm.default", "aten.relu.default"}), about("softmax")) == "1 ");
  }
  SECTION("rounding shows itself everywhere") {
    KnownIssue vague = about("softmax");
    vague.trait = "rounding";
    CHECK(one(query, vague) == "1 ");
  }
  SECTION("another device") {
    KnownIssue elsewhere = about("softmax");
    elsewhere.device = "cuda";
    CHECK(one(query, elsewhere) == "1 ");
    CHECK(store::match_known(query, {elsewhere}).front().reason.find("but on cuda") != std::string::npos);
  }
  SECTION("another type of values") {
    KnownIssue complex = about("softmax");
    complex.trait = "complex_add";
    KnownQuery real = query;
    real.dtype_class = "float";
    CHECK(one(real, complex) == "1 ");
    real.dtype_class = "complex";
    CHECK(one(real, complex) == "1! ");
  }
  SECTION("another part of the metadata") {
    KnownIssue dtype = about("any", Kind::metadata);
    dtype.trait = "type_promotion";
    KnownQuery shape = asking({"aten.any.dims"}, Kind::metadata);
    CHECK(one(shape, dtype) == "1! ");
    shape.differs = "shape";
    CHECK(one(shape, dtype) == "1 ");
    shape.differs = "dtype";
    CHECK(one(shape, dtype) == "1! ");
  }
  SECTION("a setting that the program does not have") {
    KnownIssue tuned = about("softmax", Kind::behaviour);
    tuned.trait = "max_autotune";
    KnownQuery failing = asking({"aten.softmax.int"}, Kind::behaviour);
    CHECK(one(failing, tuned) == "1! ");
    failing.options = "OPTIONS = {'backward': True}\n";
    CHECK(one(failing, tuned) == "1 ");
    failing.options = "OPTIONS = {'mode': 'max-autotune'}\n";
    CHECK(one(failing, tuned) == "1! ");
  }
  SECTION("a message counts for what it holds, and its absence against") {
    KnownIssue raising = about("softmax", Kind::behaviour);
    raising.error = "unexpected group";
    KnownQuery failing = asking({"aten.softmax.int"}, Kind::behaviour);
    failing.message = "AssertionError: unexpected group: 3";
    CHECK(one(failing, raising) == "1! ");
    failing.message = "CppCompileError: C++ compile error";
    CHECK(one(failing, raising) == "1 ");
    raising.operators = {"conv2d"};
    failing.message = "AssertionError: unexpected group: 3";
    CHECK(one(failing, raising) == "1 ");
  }
}

TEST_CASE("an operator that only a decomposition contains is not a candidate") {
  KnownQuery huber = asking({"aten.abs.default", "aten.sub.Tensor", "aten.where.self"}, Kind::metadata);
  huber.called = {"huber_loss"};
  CHECK(store::match_known(huber, {about("abs", Kind::metadata)}).empty());
  CHECK(numbers(store::match_known(huber, {about("abs", Kind::metadata), about("huber_loss", Kind::metadata)})) ==
        "1! ");
}

TEST_CASE("programs call operators by name, by symbol, and by the library's own name") {
  CHECK(store::called_names("def forward(self, x):\n    return self.head(torch.sin(x // 2) % 3)\n") ==
        std::vector<std::string>{"floor_divide", "remainder", "sin"});
  CHECK(store::called_names("return torch.ops.aten.index_select.default(x, 0, i)") ==
        std::vector<std::string>{"index_select"});
}

TEST_CASE("an issue caused by random numbers ranks lower if the program draws none") {
  KnownIssue random = about("dropout");
  random.number = 2;
  random.trait = "random";
  KnownIssue lost = about("dropout", Kind::mutation);
  KnownQuery query = asking({"aten.sum.default"});
  query.called = {"dropout"};
  CHECK(numbers(store::match_known(query, {random, lost})).starts_with("1 "));
  query.operators = {"aten.native_dropout.default"};
  CHECK(numbers(store::match_known(query, {random, lost})).starts_with("2 "));
}

TEST_CASE("an issue about another class of dtypes ranks lower") {
  KnownIssue bools = about("argmax");
  bools.number = 2;
  bools.title = "Index of the largest element of bool tensors is wrong";
  KnownIssue integers = about("argmax");
  integers.title = "Small integer reductions return 0";
  KnownQuery query = asking({"aten.argmax.default"});
  query.dtype_class = "integer";
  CHECK(numbers(store::match_known(query, {bools, integers})) == "1! 2! ");
  query.dtype_class = "bool";
  CHECK(numbers(store::match_known(query, {bools, integers})) == "2! 1! ");
}

TEST_CASE("lost checks match umbrellas, the one for dtypes first if eager does not implement the dtype") {
  KnownQuery query = asking({"aten.sin.default"}, Kind::missing_check);
  query.message = "RuntimeError: probability out of range";
  CHECK(numbers(store::match_known(query, shipped())).starts_with("197554! "));
  query.message = "RuntimeError: \"sin_vml_cpu\" not implemented for 'Bool'";
  CHECK(numbers(store::match_known(query, shipped())).starts_with("198155! 197554 "));
  query.eager_wrong = true;
  query.message = "";
  CHECK(numbers(store::match_known(query, shipped())).starts_with("195547 "));
}

TEST_CASE("two CUDA findings are matched: a cast by its decomposed name, and an operator that only the message names") {
  KnownQuery casts = asking({"prims.convert_element_type.default"});
  casts.device = "cuda";
  casts.dtype_class = "float";
  CHECK(numbers(store::match_known(casts, shipped())).find("179561 ") != std::string::npos);
  KnownQuery conjugated = asking({"Tensor.clone", "_operator.setitem"}, Kind::behaviour);
  conjugated.stage = oracle::Stage::aot_eager;
  conjugated.message = "RuntimeError: view_as_real doesn't work on unresolved conjugated tensors.";
  CHECK(numbers(store::match_known(conjugated, shipped())).find("171852 ") != std::string::npos);
  conjugated.message = "RuntimeError: an_view_as_real_too";
  CHECK(numbers(store::match_known(conjugated, shipped())).find("171852 ") == std::string::npos);
}

TEST_CASE("a query can be stored and restored") {
  KnownQuery query = asking({"aten.max.dim"}, Kind::gradient);
  query.stage = oracle::Stage::aot_eager;
  query.message = "a \"message\"";
  query.dtype_class = "bool";
  query.eager_wrong = true;
  CHECK(store::known_query_text(store::known_query_from_text(store::known_query_text(query))) ==
        store::known_query_text(query));
}

/// Reported a second time, in other words.
bool is_same_cause(int issue, int listed) { return listed == issue || (issue == 175154 && listed == 198201); }

bool is_umbrella(int issue) { return issue == 197554 || issue == 198155 || issue == 195547; }

TEST_CASE("measured: the issue or umbrella of a recorded finding comes first with few others") {
  constexpr double kFirst = 0.9, kListed = 0.97;
  int seen = 0, first = 0, listed = 0;
  std::string misses;
  const auto all = recorded();
  for (const auto& entry : all.at("findings")) {
    if (entry.at("issue").is_null()) continue;
    ++seen;
    const auto matches = store::match_known(store::known_query_from_text(entry.at("query").dump()), shipped());
    const int issue = entry.at("issue").get<int>();
    const auto right = std::ranges::find_if(matches, [&](const KnownMatch& match) {
      return is_same_cause(issue, match.issue) || is_umbrella(match.issue);
    });
    CHECK(matches.size() <= 3);
    first += right == matches.begin() && right != matches.end() ? 1 : 0;
    listed += right != matches.end() ? 1 : 0;
    if (right != matches.begin() || right == matches.end()) {
      misses += fmt::format("{} ({}): {}\n", entry.at("program").get<std::string>(), issue, numbers(matches));
    }
  }
  INFO(fmt::format("{} seen, {} first, {} listed; not first:\n{}", seen, first, listed, misses));
  CHECK(seen >= 30);
  CHECK(first >= kFirst * seen);
  CHECK(listed >= kListed * seen);
}

TEST_CASE("measured: no finding with another cause and no control has a confident match") {
  int seen = 0;
  const auto all = recorded();
  for (const auto& entry : all.at("findings")) {
    if (!entry.at("issue").is_null()) continue;
    ++seen;
    const auto query = store::known_query_from_text(entry.at("query").dump());
    if (query.kind == Kind::missing_check) continue;  // these belong to the umbrella, whatever they are
    const std::string matches = numbers(store::match_known(query, shipped()));
    INFO(entry.at("program").get<std::string>() << ": " << matches);
    CHECK(matches.find('!') == std::string::npos);
  }
  // As if the control had differed, in every way a program can.
  for (const auto& entry : all.at("controls")) {
    ++seen;
    for (const Kind kind : {Kind::numerical, Kind::metadata, Kind::mutation, Kind::gradient, Kind::crash}) {
      KnownQuery query = asking(entry.at("operators").get<std::vector<std::string>>(), kind);
      query.called = entry.at("called").get<std::vector<std::string>>();
      const std::string matches = numbers(store::match_known(query, shipped()));
      INFO(entry.at("program").get<std::string>() << " as " << oracle::name(kind) << ": " << matches);
      CHECK(matches.find('!') == std::string::npos);
    }
  }
  CHECK(seen >= 30);
}
