// Steps that examine what stays wrong with a known fault's neutraliser on: each such output becomes a program of its
// own. Each has fewer outputs, so this terminates.
#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/daemon/life/steps.h"

namespace parityd::agent {
namespace {

/// A split in progress in the syntax process.
struct OutputsSplit {
  std::size_t left = 0;  // outputs still pending
  int parts = 0;         // programs made from outputs
};

/// Indices of the program's outputs that the leaves belong to, "output[2][0]" to output 2; empty if any leaf is
/// something else.
std::set<int> outputs_of(const std::vector<std::string>& leaves) {
  constexpr std::string_view kOutput = "output[";
  std::set<int> outputs;
  for (const auto& leaf : leaves) {
    if (!leaf.starts_with(kOutput)) return {};
    int number = 0;
    const char* const end = leaf.data() + leaf.size();
    if (std::from_chars(leaf.data() + kOutput.size(), end, number).ec != std::errc()) return {};
    outputs.insert(number);
  }
  return outputs;
}

/// Leaves that are not outputs stay with the program. The counts in the result change over later turns.
std::shared_ptr<const OutputsSplit> split_outputs(Workshop& shop, const store::ProgramRow& program,
                                                  const std::vector<std::string>& leaves) {
  const auto outputs = outputs_of(leaves);
  auto split = std::make_shared<OutputsSplit>(OutputsSplit{.left = outputs.size()});
  for (const int output : outputs) {
    shop.syntax.reduced(program.text, "[]", {fmt::format("output:{}", output)}, executor::UnreadLocals::go,
                        [&shop, split, id = program.id, options = program.options_json, output](const auto& text) {
                          split->left -= 1;
                          if (!text) return;  // the program cannot be split at this output
                          split->parts += 1;
                          shop.intake.accept({.text = text->program,
                                              .origin = store::Origin::residual,
                                              .source = fmt::format("output {} of program {}", output, id),
                                              .default_options = options,
                                              .options_known = true});
                        });
  }
  return split;
}

/// How many outputs of the program were compared.
std::size_t outputs_compared(const oracle::Evidence& evidence) {
  std::set<int> outputs;
  const auto* const measured = evidence.measurement(oracle::Mode::eager, evidence.compiled);
  for (const auto& leaf : measured != nullptr ? measured->leaves : std::vector<oracle::LeafMeasurement>{}) {
    outputs.merge(outputs_of({leaf.path}));
  }
  return outputs.size();
}

class RunMasked : public Step {
 public:
  explicit RunMasked(Workshop& shop) : Step(shop, Examination::masked) {}

  std::optional<Event> begin(ProgramTask& task) override {
    shop_.turn.execute([&shop = shop_, subject = task.subject(), known = shop_.recorder.told(task.row).stepped_over] {
      shop.examiner.run_masked(subject, Examination::masked, oracle::Kind::numerical, known, shop.turn.now);
    });
    return std::nullopt;
  }

  std::optional<Event> on_result(ProgramTask& task, const Examined& examined) override {
    looked_ = {.verdict = examined.verdict, .trusted = examined.trusted};
    const bool stays = examined.trusted && examined.verdict.verdict == oracle::VerdictKind::inconsistent;
    // With one output, the new program would be the same one.
    const bool apart = outputs_compared(examined.evidence) > 1;
    split_ = split_outputs(shop_, task.row, stays && apart ? examined.verdict.leaves : std::vector<std::string>{});
    return std::nullopt;
  }

  std::optional<Event> poll(ProgramTask& /*task*/) override {
    if (!split_ || split_->left > 0) return std::nullopt;
    looked_.parts = split_->parts;
    return looked_;
  }

 private:
  MaskedRan looked_;
  std::shared_ptr<const OutputsSplit> split_;
};

class FindResidual : public Step {
 public:
  explicit FindResidual(Workshop& shop) : Step(shop, Examination::residual) {}

  std::optional<Event> begin(ProgramTask& task) override {
    const auto kind = shop_.recorder.told(task.row).whole.verdict.kind.value_or(oracle::Kind::numerical);
    const auto attribution = shop_.turn.store.reductions.attribution(task.row.id).value_or(store::AttributionRow{});
    auto gone = oracle::neutralisers_from_line(attribution.neutraliser).value_or(std::vector<oracle::Neutraliser>{});
    shop_.turn.send([&shop = shop_, whole = task.subject(), kind, gone = std::move(gone)] {
      shop.examiner.run_masked(whole, Examination::residual, kind, gone, shop.turn.now);
    });
    return std::nullopt;
  }

  std::optional<Event> on_result(ProgramTask& task, const Examined& examined) override {
    if (examined.verdict.verdict == oracle::VerdictKind::inconsistent) {
      split_outputs(shop_, task.row, examined.verdict.leaves);
    }
    return further(shop_, task);
  }
};

}  // namespace

std::unique_ptr<Step> run_masked(Workshop& shop) { return std::make_unique<RunMasked>(shop); }
std::unique_ptr<Step> find_residual(Workshop& shop) { return std::make_unique<FindResidual>(shop); }

}  // namespace parityd::agent
