// The table of what PyTorch documents.
#include "store/report/draft_parts.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "store/base/operator_names.h"
#include "store/findings/known_issues.h"
#include "tests/catch.h"
#include "tests/files.h"

using namespace parityd;

TEST_CASE("each row has a page of PyTorch's documentation and one plain sentence") {
  const auto rows = store::documented_operators();
  CHECK(rows.size() >= 60);
  CHECK(std::is_sorted(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.name < b.name; }));
  std::set<std::string_view> names;
  for (const auto& row : rows) {
    CAPTURE(std::string(row.name));
    CHECK(names.insert(row.name).second);
    CHECK(row.page.starts_with("https://docs.pytorch.org/docs/stable/generated/torch."));
    CHECK(row.page.ends_with(".html"));
    CHECK(row.fact.size() > 10);
    CHECK(row.fact.size() < 120);
    CHECK_FALSE(row.fact.ends_with("."));
    CHECK(row.fact.find_first_of("#|\n") == std::string_view::npos);
    CHECK(std::count(row.fact.begin(), row.fact.end(), '`') % 2 == 0);
  }
}

TEST_CASE("an operator is found by any of its names") {
  const auto page = [](const char* name) {
    const auto* const found = store::documented_operator(name);
    return found != nullptr ? std::string(found->name) : "";
  };
  CHECK(page("aten._softmax.default") == "softmax");
  CHECK(page("LayerNorm") == "layer_norm");
  CHECK(page("aten.native_layer_norm.default") == "layer_norm");
  CHECK(page("BatchNorm2d") == "batch_norm");
  CHECK(page("MaxPool2d") == "max_pool2d");
  CHECK(page("aten.max_pool2d_with_indices.default") == "max_pool2d");
  CHECK(page("relu_") == "relu");
  CHECK(page("aten.max.dim") == "max");
  CHECK(page("no_such_operator").empty());
}

TEST_CASE("the operators that known issues name most are in the table") {
  const auto table = store::parse_known_issues(tests::read_file(PARITYD_SOURCE_DIR "/store/known_issues.jsonl"));
  REQUIRE(table.has_value());
  std::map<std::string, int> named;
  for (const auto& issue : table->issues) {
    for (const auto& name : issue.operators) ++named[store::plain_operator(name)];
  }
  std::vector<std::string> missing;
  for (const auto& [name, count] : named) {
    // Made by the compiler itself, or making inputs: nothing to hold a result against.
    static const std::set<std::string> kOther{"convolution", "constant_pad_nd", "to_copy", "randn", "rand",   "copy",
                                              "index",       "slice",           "grad",    "apply", "fft_r2c"};
    if (count >= 3 && store::documented_operator(name) == nullptr && !kOther.contains(name)) missing.push_back(name);
  }
  CAPTURE(missing);
  CHECK(missing.empty());
}
