// The whole text of a draft, for each kind of finding, against tests/store/report/golden/KIND.md, and of one with a
// change. To write those files anew after a change that is meant: PARITYD_WRITE_GOLDEN=1 ctest -R golden; then read
// them, all nine, as a maintainer would.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "store/findings/change_section.h"
#include "store/report/draft_lint.h"
#include "tests/catch.h"
#include "tests/files.h"
#include "tests/store/a_try.h"
#include "tests/store/fixture.h"
#include "tests/store/report/golden_facts.h"

using namespace parityd;
using namespace parityd::tests;
using oracle::Kind;

namespace {

const std::filesystem::path kSource = PARITYD_SOURCE_DIR;

/// Outside of programs, whose style has them.
bool has_two_blank_lines(const std::string& text) {
  std::istringstream lines(text);
  std::string fence;
  bool blank = false;
  for (std::string line; std::getline(lines, line);) {
    if (fence.empty() && line.empty() && blank) return true;
    blank = line.empty();
    if (fence.empty() && line.starts_with("```")) {
      fence = line.substr(0, line.find_first_not_of('`'));
    } else if (line == fence) {
      fence.clear();
    }
  }
  return false;
}

store::DraftRow golden_draft(Kind kind) {
  return store::render_draft(golden_facts(kind), kSource / "store" / "draft.mustache", 5);
}

void check_golden(const std::string& name, const store::DraftRow& draft, Kind kind) {
  const auto file = kSource / "tests" / "store" / "report" / "golden" / (name + ".md");
  const std::string text = "# " + draft.title + "\n\n" + draft.body;
  if (std::getenv("PARITYD_WRITE_GOLDEN") != nullptr) std::ofstream(file) << text;
  const std::string golden = read_file(file);
  CAPTURE(file.string());
  CHECK(text == golden);
  CHECK_FALSE(has_two_blank_lines(text));
  for (const auto& remark : store::lint_draft(draft, kind)) {
    CAPTURE(remark.rule, remark.text);
    CHECK(false);
  }
}

void check_golden(Kind kind) { check_golden(std::string(oracle::name(kind)), golden_draft(kind), kind); }

}  // namespace

TEST_CASE("golden draft: numerical") { check_golden(Kind::numerical); }
TEST_CASE("golden draft: behaviour") { check_golden(Kind::behaviour); }
TEST_CASE("golden draft: missing_check") { check_golden(Kind::missing_check); }
TEST_CASE("golden draft: metadata") { check_golden(Kind::metadata); }
TEST_CASE("golden draft: mutation") { check_golden(Kind::mutation); }
TEST_CASE("golden draft: gradient") { check_golden(Kind::gradient); }
TEST_CASE("golden draft: crash") { check_golden(Kind::crash); }
TEST_CASE("golden draft: hang") { check_golden(Kind::hang); }
TEST_CASE("golden draft: with a change that makes it vanish") {
  auto draft = golden_draft(Kind::numerical);
  draft.body = store::with_change_section(draft.body, a_try(1), store::kLongestBody);
  check_golden("with_change", draft, Kind::numerical);
}
