// What strategies and chapters' files cost, and what came of them: on a database made by hand.
#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;
using store::YieldBy;

namespace {

struct Request {
  std::string strategy;
  store::ReplyPurpose purpose = store::ReplyPurpose::generate;
  std::string provider = "mine";
  std::optional<store::Id> program = {};  // a repair's
};

/// Two prompts' strategies, a chapter of each of two files, and builtin.
class Paid {
 public:
  Paid() : store_(folder_.database(), store::Access::write) {}
  [[nodiscard]] store::Store& store() { return store_; }

  store::Id reply(const Request& asked, std::int64_t cost) {
    store::ReplyRow row{.provider = asked.provider,
                        .model = "m",
                        .strategy = asked.strategy,
                        .purpose = asked.purpose,
                        .program = asked.program};
    row.id = store_.replies.reserve(row);
    row.state = store::ReplyState::answered;
    row.prompt_tokens = 1'000;
    row.completion_tokens = 10;
    row.cost_nano_dollars = cost;
    store_.replies.end(row);
    return row.id;
  }

  store::Id reading(const std::string& file, std::int64_t cost) {
    const auto id = reply({.strategy = "source"}, cost);
    store_.readings.add({.reply = id, .kind = "chapter", .chapter = file + ": f … g", .torch = "2.13.0"});
    return id;
  }

  store::ProgramRow program(const std::string& identity, store::Id reply, oracle::VerdictKind verdict,
                            std::optional<store::Id> repairs = std::nullopt) {
    auto row = a_program(identity);
    row.reply = reply;
    row.parent = repairs;
    row.root = repairs.value_or(0);
    row.round = repairs ? 1 : 0;
    row = finished(added(store_, row), verdict);
    store_.programs.update(row);
    store::EvidenceRow evidence{.program = row.id, .purpose = store::Examination::screen, .worker_seconds = 2};
    evidence.verdict = *row.verdict;
    store_.examinations.add(evidence);
    return row;
  }

  store::Id finding(const store::ProgramRow& first, const std::string& disposition = "ready") {
    auto row = a_finding(first.id, first.identity);
    row.disposition = oracle::disposition_from_text(disposition).value();
    const auto id = store_.findings.add(row);
    store_.groups.add_occurrence(id, first.id, "the first", 1);
    return id;
  }

  [[nodiscard]] store::YieldRow row(YieldBy by, const std::string& name) const {
    for (const auto& each : store_.spending.yields(by)) {
      if (each.name == name || (by == YieldBy::kind && each.kind == name)) return each;
    }
    return {};
  }

 private:
  Folder folder_;
  store::Store store_;
};

}  // namespace

TEST_CASE("an empty database has no yields") {
  Paid paid;
  for (const auto by : {YieldBy::strategy, YieldBy::file, YieldBy::kind})
    CHECK(paid.store().spending.yields(by).empty());
}

TEST_CASE("yields by strategy have requests, worker time of all runs, and each ready cause once") {
  Paid paid;
  const auto views = paid.reply({.strategy = "views"}, 100);
  const auto differs = paid.program("one", views, oracle::VerdictKind::inconsistent);
  const auto finding = paid.finding(differs);
  const auto again = paid.program("two", views, oracle::VerdictKind::inconsistent);
  paid.store().groups.add_occurrence(finding, again.id, "the same", 2);
  paid.finding(paid.program("held", views, oracle::VerdictKind::inconsistent), "held(stride)");
  paid.store().reductions.set({.program = differs.id, .text = "x", .seconds = 30});
  paid.store().reductions.set_attribution({.program = differs.id, .seconds = 5});
  paid.store().reductions.set_extent({.program = differs.id, .seconds = 1});

  const auto invalid = paid.program("invalid", views, oracle::VerdictKind::invalid);
  const auto repair =
      paid.reply({.strategy = "views", .purpose = store::ReplyPurpose::repair, .program = invalid.id}, 10);
  paid.program("mended", repair, oracle::VerdictKind::consistent, invalid.id);
  const auto dtypes = paid.reply({.strategy = "dtypes"}, 7);
  paid.store().groups.add_occurrence(finding, paid.program("late", dtypes, oracle::VerdictKind::inconsistent).id,
                                     "same", 3);
  paid.reply({.strategy = "", .purpose = store::ReplyPurpose::draft}, 1'000);
  paid.program("corpus", paid.reply({.strategy = "dtypes", .provider = "builtin"}, 0), oracle::VerdictKind::consistent);

  const auto all = paid.store().spending.yields(YieldBy::strategy);
  REQUIRE(all.size() == 2);
  CHECK(all[0].kind == "prompt");
  CHECK(all[0].name == "views");
  CHECK(all[0].replies == 2);
  CHECK(all[0].prompt_tokens == 2'000);
  CHECK(all[0].completion_tokens == 20);
  CHECK(all[0].nano_dollars == 110);
  CHECK(all[0].programs == 4);
  CHECK(all[0].valid == 4);
  CHECK(all[0].inconsistent == 3);
  CHECK(all[0].findings == 2);
  CHECK(all[0].ready == 1);
  CHECK(all[0].worker_seconds == 46);
  CHECK(all[1].name == "dtypes");
  CHECK(all[1].programs == 1);
  CHECK(all[1].findings == 0);
  CHECK(all[1].ready == 1);
  CHECK(paid.row(YieldBy::kind, "prompt").ready == 1);
  CHECK(paid.row(YieldBy::kind, "prompt").nano_dollars == 117);
}

TEST_CASE("yields by file include the cost of repairs of a chapter's programs") {
  Paid paid;
  const auto lowering = paid.reading("_inductor/lowering.py", 500);
  const auto invalid = paid.program("invalid", lowering, oracle::VerdictKind::invalid);
  const auto repair =
      paid.reply({.strategy = "source", .purpose = store::ReplyPurpose::repair, .program = invalid.id}, 20);
  const auto mended = paid.program("mended", repair, oracle::VerdictKind::inconsistent, invalid.id);
  const auto found = paid.finding(mended);
  const auto other =
      paid.finding(paid.program("other", paid.reading("_inductor/lowering.py", 30), oracle::VerdictKind::inconsistent));
  REQUIRE(paid.store().groups.merge({.at = 5, .who = "me", .what = "merge", .finding = other, .other = found}));
  paid.reading("_decomp/decompositions.py", 40);
  paid.reply({.strategy = "views"}, 9'000);

  const auto files = paid.store().spending.yields(YieldBy::file);
  REQUIRE(files.size() == 2);
  CHECK(files[0].name == "_inductor/lowering.py");
  CHECK(files[0].replies == 3);
  CHECK(files[0].nano_dollars == 550);
  CHECK(files[0].programs == 2);
  CHECK(files[0].valid == 2);
  CHECK(files[0].ready == 1);
  CHECK(files[0].worker_seconds == 6);
  CHECK(files[1].name == "_decomp/decompositions.py");
  CHECK(files[1].programs == 0);
  CHECK(paid.row(YieldBy::kind, "reading").nano_dollars == 590);
  CHECK(paid.row(YieldBy::strategy, "source").kind == "reading");
}
