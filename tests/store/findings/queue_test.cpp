// The queue: what enters, in which order, how much of it a day; and a next step for every state a finding can be in.
#include "store/findings/queue.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <set>

#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;
using oracle::Trigger;

namespace {

store::FindingRow ready(store::Id id) {
  auto row = a_finding(1, "hash" + std::to_string(id));
  row.id = id;
  row.kind = oracle::Kind::numerical;
  row.trigger = Trigger::ordinary;
  return row;
}

std::vector<store::Id> order(const std::vector<store::QueueEntry>& queue) {
  std::vector<store::Id> ids;
  ids.reserve(queue.size());
  for (const auto& entry : queue) ids.push_back(entry.finding.id);
  return ids;
}

using Ids = std::vector<store::Id>;

}  // namespace

TEST_CASE("only new ready findings that are not merged are queued") {
  std::vector<store::FindingRow> rows(5, ready(1));
  for (std::size_t index = 0; index < rows.size(); ++index) rows[index].id = static_cast<store::Id>(index) + 1;
  rows[0].disposition = oracle::held("stride");
  rows[1].disposition = oracle::disposition_from_text("umbrella(197554)").value();
  rows[2].status = store::FindingStatus::filed;
  rows[3].merged_into = 5;
  CHECK(order(store::queue_of(rows, {}, {.drafts_per_day = 5})) == Ids{5});
}

TEST_CASE("each criterion decides among findings equal in all earlier ones") {
  // Each finding is worse than the one before in one criterion, and better in all later ones.
  std::vector<store::FindingRow> rows;
  for (store::Id id = 1; id <= 6; ++id) {
    rows.push_back(ready(id));
    rows.back().reduced = "a\nb\n\nc\n";
  }
  rows[0].reduced = "a\n\n \nb";  // 2 lines; three known matches
  rows[1].reduced = "a\nb\nc\n";  // 3 lines
  rows[2].hits = 2;               // 2 of 3
  rows[2].reduced = "a";
  rows[3].trigger = Trigger::unknown;
  rows[3].reduced = "a";
  rows[4].disposition.severity = 5;
  rows[4].reduced = "torch.ops.aten.add.Scalar(x, 1)";
  rows[5].disposition.severity = 2;
  rows[5].kind = oracle::Kind::crash;
  rows[5].hits = 3;
  const std::map<store::Id, int> matches{{1, 3}, {2, 1}};
  const auto queue = store::queue_of(rows, matches, {.drafts_per_day = 9});
  CHECK(order(queue) == Ids{1, 2, 3, 4, 6, 5});
  CHECK(queue[0].why == "nothing ranks before it");
  CHECK(queue[0].standing ==
        "severity 1 (silently wrong values), ordinary inputs, 3 of 3 rounds, 2 lines, 3 known matches");
  CHECK(queue[1].why == "behind finding 1: 3 lines after 2 lines");
  CHECK(queue[2].why == "behind finding 2: 2 of 3 rounds after 3 of 3 rounds");
  CHECK(queue[3].why == "behind finding 3: trigger unknown after ordinary inputs");
  CHECK(queue[4].why == "behind finding 4: severity 2 (a crash) after severity 1 (silently wrong values)");
  CHECK(queue[5].why == "behind finding 6: severity 5 (only through torch.ops overloads) after severity 2 (a crash)");
}

TEST_CASE("the words for a severity say why it is that") {
  const auto words = [](const store::FindingRow& row) {
    const std::string standing = store::queue_of({row}, {}, {.drafts_per_day = 1})[0].standing;
    return standing.substr(0, standing.find(','));
  };
  auto row = ready(1);
  CHECK(words(row) == "severity 1 (silently wrong values)");
  row.disposition.severity = 4;
  row.reduced = "return y, y.stride()";
  CHECK(words(row) == "severity 4 (other strides)");
  row.disposition.severity = 5;
  row.trigger = Trigger::edge;
  CHECK(words(row) == "severity 5 (only with unusual inputs)");
}

TEST_CASE("a regression from the previous torch comes first among findings of one severity") {
  std::vector<store::FindingRow> rows{ready(1), ready(2)};
  rows[1].trigger = Trigger::config;
  rows[1].consistent_on = "2.12.0";
  const auto queue = store::queue_of(rows, {}, {.drafts_per_day = 9});
  CHECK(order(queue) == Ids{2, 1});
  CHECK(queue[0].standing.find("), consistent on torch 2.12.0, its own settings only") != std::string::npos);
  CHECK(queue[1].why == "behind finding 2: no torch known to be without it after consistent on torch 2.12.0");
  CHECK(queue[1].standing.starts_with("severity 1 (silently wrong values), ordinary inputs"));
}

TEST_CASE("findings that resemble known issues come later, and equal findings are ordered by age") {
  const auto queue = store::queue_of({ready(3), ready(2), ready(1)}, {{1, 2}}, {.drafts_per_day = 9});
  CHECK(order(queue) == Ids{2, 3, 1});
  CHECK(queue[1].why == "behind finding 2: equal in everything, found later");
  CHECK(queue[2].why == "behind finding 3: 2 known matches after no known match");
}

TEST_CASE("a limited number of drafts is offered per day, and the others wait with that reason") {
  const std::vector<store::FindingRow> rows{ready(1), ready(2), ready(3), ready(4)};
  const auto today = [&](store::QueueLimits limits) {
    Ids ids;
    for (const auto& entry : store::queue_of(rows, {}, limits)) {
      if (entry.today) ids.push_back(entry.finding.id);
      CHECK_FALSE(entry.next_step.empty());
    }
    return ids;
  };
  CHECK(today({.drafts_per_day = 2}) == Ids{1, 2});
  CHECK(today({.drafts_per_day = 2, .filed_today = 1}) == Ids{1});
  CHECK(today({.drafts_per_day = 2, .filed_today = 3}).empty());
  CHECK(today({.drafts_per_day = 0}).empty());
  const auto queue = store::queue_of(rows, {}, {.drafts_per_day = 2, .filed_today = 1});
  CHECK(queue[0].next_step == rows[0].next_step);
  CHECK(queue[1].next_step == "wait: 2 drafts are offered per day, 1 filed today");
}

TEST_CASE("every state of a finding has a next step and a reason") {
  std::vector<oracle::Disposition> dispositions;
  for (const auto& row : oracle::disposition_rows()) {
    dispositions.push_back(oracle::disposition_from_text(row.disposition).value());
  }
  dispositions.push_back({.klass = oracle::Disposition::Class::held, .umbrella_issue = 195547, .reason = "eager"});
  std::set<std::string> steps;
  for (const auto& disposition : dispositions) {
    for (const auto status : names(store::FindingStatus{})) {
      for (const bool merged : {false, true}) {
        store::FindingRow row = ready(1);
        row.disposition = disposition;
        row.status = oracle::from_name<store::FindingStatus>(status).value();
        row.next_step = store::next_step_of(disposition);
        if (merged) row.merged_into = 2;
        CAPTURE(row.disposition.text(), status, merged);
        const auto next = store::next_step(row);
        CHECK_FALSE(next.step.empty());
        CHECK_FALSE(next.why.empty());
        const bool may_be_filed = next.step.find("read the draft") != std::string::npos;
        CHECK(may_be_filed == store::may_be_queued(row));
        steps.insert(next.step);
      }
    }
  }
  CHECK(steps.size() >= 9);
}

TEST_CASE("a filed finding counts on its day") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto program = added(store, finished(a_program("a"), oracle::VerdictKind::inconsistent));
  (void)store.findings.add(a_finding(program.id, "one"));
  CHECK(store.findings.filed_since(0) == 0);
  SQLite::Database(folder.database().string(), SQLite::OPEN_READWRITE)
      .exec(
          "UPDATE findings SET status = 'filed'; UPDATE findings SET status = 'new'; UPDATE findings SET status = "
          "'filed'");
  CHECK(store.findings.filed_since(1'000'000'000'000) == 1);
  CHECK(store.findings.filed_since(9'000'000'000'000) == 0);
}
