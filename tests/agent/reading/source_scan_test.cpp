// The sources of a torch come into the store, and out of it as the facts of a prompt.
#include "agent/reading/source_scan.h"

#include "agent/reading/reading_facts.h"
#include "executor/syntax/source_client.h"
#include "tests/catch.h"
#include "tests/executor/syntax/fixture.h"
#include "tests/store/fixture.h"

namespace parityd::agent {
namespace {

const std::filesystem::path kSample = PARITYD_SOURCE_DIR "/tests/executor/syntax/sample/torch";

class Scanned {
 public:
  explicit Scanned(const std::filesystem::path& folder = kSample)
      : client_({.launcher = {},
                 .python = executor::testing::test_python(),
                 .script = PARITYD_SOURCE_DIR "/executor/syntax/syntax.py",
                 .scratch = folder_.path() / "scratch"},
                folder),
        store_(folder_.database(), store::Access::write) {}

  /// What the scan says in the end.
  std::string scan() {
    SourceScan scan(client_, store_);
    scan.begin(1'000);
    while (!scan.advance(2'000)) client_.wait();
    torch_ = scan.torch();
    return scan.problem();
  }
  [[nodiscard]] SourceShelf shelf() const {
    return {.torch = torch_.value(), .version = "9.1.0+sample", .units = store_.sources.units(torch_.value())};
  }
  [[nodiscard]] std::optional<store::Id> torch() const { return torch_; }
  [[nodiscard]] store::Store& store() { return store_; }

 private:
  tests::Folder folder_;
  executor::SourceClient client_;
  store::Store store_;
  std::optional<store::Id> torch_;
};

const Chapter& of_file(const std::vector<Chapter>& chapters, std::string_view file) {
  const auto found = std::ranges::find(chapters, file, &Chapter::file);
  REQUIRE(found != chapters.end());
  return *found;
}

}  // namespace

TEST_CASE("source scan: units, texts and guarantees are stored, and unchanged files are not read again") {
  Scanned scanned;
  CHECK(scanned.scan().empty());
  const auto units = scanned.shelf().units;
  CHECK(units.size() == 21);
  CHECK(units.front().file == "_decomp/decompositions.py");
  CHECK(scanned.store().sources.promise(*scanned.torch(), "aten.double_up") ==
        "aten::double_up(Tensor self, *, int by=2) -> Tensor\ndouble_up(input, *, by=2) -> Tensor\nAdds :attr:`input` "
        "to itself.\nArgs:\ndef sample_inputs_double_up(op_info, device):\n    \"\"\"Two sizes.\"\"\"\n    sizes = "
        "((3,), (2, "
        "0))\n    for size in sizes:\n        yield device, size");
  const auto first = scanned.store().sources.torches();
  REQUIRE(first.size() == 1);
  CHECK(first[0].torch == "9.1.0+sample");
  CHECK(scanned.scan().empty());
  CHECK(scanned.store().sources.torches()[0].read_at == first[0].read_at);
}

TEST_CASE("source scan: a torch that cannot be read is reported") {
  Scanned scanned("/nonexistent/torch");
  CHECK(scanned.scan().find("version.py") != std::string::npos);
  CHECK_FALSE(scanned.torch());
}

TEST_CASE("source scan: the facts of a chapter are texts, helpers, guarantees and earlier attempts") {
  Scanned scanned;
  REQUIRE(scanned.scan().empty());
  const auto shelf = scanned.shelf();
  const auto all = chapters(shelf.units);
  const Chapter& chapter = of_file(all, "_inductor/lowering.py");
  store::ReplyRow reply{
      .provider = "mine", .model = "m", .strategy = "source", .purpose = store::ReplyPurpose::generate};
  const auto id = scanned.store().replies.reserve(reply);
  scanned.store().readings.add({.reply = id,
                                .kind = "chapter",
                                .chapter = chapter.key,
                                .torch = shelf.version,
                                .units = units_read(shelf, chapter)});
  scanned.store().hypotheses.put(id, 1, "by is ignored", std::nullopt);

  const auto facts = reading_facts(scanned.store(), shelf, chapter);
  CHECK(facts.area == "lowerings");
  CHECK(facts.units.size() == 8);
  CHECK(facts.units[1].text.starts_with("@register_lowering(aten.double_up"));
  REQUIRE(facts.helpers.size() == 3);
  CHECK(facts.helpers[0].name == "doubled");
  CHECK(facts.promises.size() == 2);
  CHECK(facts.known.empty());
  REQUIRE(facts.tried.size() == 1);
  CHECK(facts.tried[0].outcome == "no program");
  const auto prompts = prompts::load_prompts(PARITYD_SOURCE_DIR "/prompts", {}).value();
  const std::string prompt = render_reading(*prompts.reading(prompts::Reads::chapter), facts);
  CHECK(prompt.find("def promoted(x, y):") != std::string::npos);
  CHECK(prompt.find("- no program: by is ignored") != std::string::npos);
}

TEST_CASE("source scan: known bugs of a chapter's operators are listed, the most relevant first") {
  Scanned scanned;
  REQUIRE(scanned.scan().empty());
  const auto shelf = scanned.shelf();
  const auto all = chapters(shelf.units);
  const store::KnownIssue about{
      .number = 1, .title = "a reporter's sentence", .operators = {"double_up"}, .trait = "alpha"};
  const store::KnownIssue partly{.number = 2, .operators = {"cat", "halve"}, .trait = "layout"};
  const store::KnownIssue elsewhere{.number = 3, .operators = {"cat"}, .trait = "promotion"};
  const store::KnownIssue gathers{.number = 4, .operators = {"double_up"}, .trait = "umbrella"};
  const auto bugs = known_bugs({elsewhere, partly, gathers, about}, shelf, of_file(all, "_inductor/lowering.py"));
  REQUIRE(bugs.size() == 2);
  CHECK(bugs[0] == "double_up: alpha, numerical, from stage inductor on");
  CHECK(bugs[1].starts_with("cat, halve: layout"));
}

}  // namespace parityd::agent
