#include "store/report/suspicion.h"

#include <algorithm>
#include <map>
#include <utility>

namespace parityd::store {
namespace {

using Units = std::vector<SourceUnitRow>;

/// Units of the file that is meant; a model may leave out its folder.
Units units_meant(const Store& store, const ReadingRow& reading, const std::string& file) {
  Units units = store.sources.units_of(reading.torch, file);
  if (!units.empty()) return units;
  const auto read =
      std::ranges::find_if(reading.units, [&](const ReadUnit& unit) { return unit.file.ends_with("/" + file); });
  return read == reading.units.end() ? Units{} : store.sources.units_of(reading.torch, read->file);
}

/// Takes the error from the last deciding round: of the reduced program, else of the program itself.
void take_error(const Store& store, Id program, Blame& blame) {
  for (const EvidenceRow& row : store.examinations.of(program)) {
    if (row.purpose != Examination::confirmation && row.purpose != Examination::final_confirmation) continue;
    const oracle::Outcome* const compiled = row.evidence.outcome(row.evidence.compiled);
    const bool raised = compiled != nullptr && compiled->error;
    blame.compiler_frame = raised ? compiled->error->compiler_frame : "";
    blame.traceback = raised ? compiled->error->traceback : "";
  }
}

Blame blame_of(const Store& store, const FindingRow& finding) {
  Blame blame{.stage = finding.stage, .neutralisers = {}, .compiler_frame = {}, .traceback = {}};
  const auto attribution = store.reductions.attribution(finding.program).value_or(AttributionRow{});
  if (auto found = oracle::neutralisers_from_line(attribution.neutraliser)) blame.neutralisers = std::move(*found);
  take_error(store, finding.program, blame);
  return blame;
}

}  // namespace

std::optional<SourceUnitRow> unit_supposed(const Store& store, const ReadingRow& reading,
                                           const std::string& hypothesis) {
  const auto named = place_named(hypothesis);
  if (!named) return std::nullopt;
  const Units units = units_meant(store, reading, named->file);
  const SourceUnitRow* const found = unit_at(*named, units);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

std::optional<Suspicion> suspicion_of(const Store& store, const FindingRow& finding) {
  const auto hypothesis = store.hypotheses.of_program(finding.program);
  if (!hypothesis) return std::nullopt;
  Suspicion suspicion{.hypothesis = hypothesis->text,
                      .strategy = store.replies.find(hypothesis->reply).value_or(ReplyRow{}).strategy,
                      .reply = hypothesis->reply,
                      .torch = {},
                      .place = {}};
  const auto reading = store.readings.of(hypothesis->reply);
  const auto named = place_named(hypothesis->text);
  if (!reading || !named) return suspicion;
  suspicion.torch = reading->torch;
  auto unit = unit_supposed(store, *reading, hypothesis->text);
  if (!unit) return suspicion;
  unit->text = store.sources.text(unit->text_hash);
  suspicion.place = SourcePlace{.file = unit->file, .function = unit->name, .line = named->line};
  suspicion.agreement = agreement(*unit, blame_of(store, finding));
  return suspicion;
}

std::vector<AgreementCounts> agreement_counts(const Store& store) {
  std::map<std::string, AgreementCounts> by_strategy;
  for (const Id id : store.hypotheses.findings()) {
    const auto finding = store.findings.find(id);
    const auto suspicion = finding ? suspicion_of(store, *finding) : std::nullopt;
    if (!suspicion) continue;
    AgreementCounts& counts = by_strategy[suspicion->strategy];
    counts.strategy = suspicion->strategy;
    counts.agrees += suspicion->agreement == Agreement::agrees ? 1 : 0;
    counts.disagrees += suspicion->agreement == Agreement::disagrees ? 1 : 0;
    counts.unknown += suspicion->agreement == Agreement::unknown ? 1 : 0;
  }
  std::vector<AgreementCounts> all;
  all.reserve(by_strategy.size());
  for (auto& [strategy, counts] : by_strategy) all.push_back(std::move(counts));
  return all;
}

}  // namespace parityd::store
