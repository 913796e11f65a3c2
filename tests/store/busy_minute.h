// What a busy minute of the daemon writes, row by row, and what must be there of it afterwards. For tests only.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

#include "fixture.h"

namespace parityd::tests {

/// Each writes one transaction; all that return have been acknowledged.
class BusyMinute {
 public:
  explicit BusyMinute(store::Store& store) : store_(store) {}

  /// Everything from step `first` on; returns how many were acknowledged in all. Throws what the store throws.
  void run(std::vector<int>& acknowledged, int first = 0) {
    for (int step = first; step < kSteps; ++step) {
      turn(step);
      acknowledged.push_back(step);
      if (step % 5 == 4) (void)store_.checkpoint();
    }
  }

  static constexpr int kSteps = 6;

  /// Why `step` is not there whole; empty: it is. `acknowledged`: it must be there; else it may be missing whole.
  static std::string wrong(const store::Store& store, int step, bool acknowledged) {
    const auto id = store.programs.by_identity(identity(step));
    const auto inspected = store.values.find(fmt::format("step {}", step));
    if (!id) return acknowledged || inspected ? fmt::format("step {} is missing", step) : "";
    if (!inspected || store.examinations.of(*id).size() != 1) return fmt::format("step {} is there in part", step);
    const auto program = store.programs.find(*id);
    if (program->text != text(step) || program->state != store::ProgramState::finished) {
      return fmt::format("step {} is not what was written", step);
    }
    if (is_finding(step)) {
      const auto finding = store.findings.by_signature(identity(step));
      if (!finding || !store.drafts.find(finding->id) || !store.inspections.find(finding->id, "trace")) {
        return fmt::format("the finding of step {} is there in part", step);
      }
      if (!store.findings.tampered(finding->id).empty()) return fmt::format("the finding of step {} has changed", step);
    }
    return "";
  }

 private:
  static std::string identity(int step) { return fmt::format("identity {}", step); }
  /// Some over a page long.
  static std::string text(int step) { return std::string(static_cast<std::size_t>(step % 3) * 2500 + 50, 'x'); }
  static bool is_finding(int step) { return step % 3 == 2; }

  void turn(int step) {
    store_.transaction([&] {
      const store::Id reply = store_.replies.reserve({.provider = "a",
                                                      .model = "m",
                                                      .strategy = "s",
                                                      .purpose = store::ReplyPurpose::generate,
                                                      .prompt = std::string(500, 'p')});
      auto row = a_program(identity(step));
      row.text = text(step);
      row.reply = reply;
      const auto program = added(store_, row);
      store_.examinations.add({.program = program.id, .purpose = store::Examination::screen});
      store_.programs.update(
          finished(program, is_finding(step) ? oracle::VerdictKind::inconsistent : oracle::VerdictKind::consistent));
      if (is_finding(step)) {
        const store::Id finding = store_.findings.add(a_finding(program.id, identity(step)));
        store_.groups.add_occurrence(finding, program.id, "the first", 4'000);
        store_.drafts.set({.finding = finding, .title = "a title", .body = text(step), .repro = "import torch\n"});
        store_.inspections.add({.finding = finding, .tool = "trace", .text = text(step) + identity(step), .at = 5'000});
      }
      store_.values.set(fmt::format("step {}", step), "done");
      store_.events.add("info", "turn", identity(step), 6'000);
    });
  }

  store::Store& store_;
};

}  // namespace parityd::tests
