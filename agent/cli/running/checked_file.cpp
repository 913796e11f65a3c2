#include "agent/cli/running/checked_file.h"

#include "agent/daemon/findings/finding_disposition.h"
#include "oracle/finding/symptom.h"
#include "store/report/draft.h"

namespace parityd::agent {

oracle::Disposition CheckedFile::disposition(const oracle::DispositionChoices& choices) const {
  return oracle::dispose(judged, last.evidence, disposition_facts(script), choices).disposition;
}

Subject CheckedFile::smaller() const {
  Subject smaller = subject;
  smaller.text = reduced->text;
  smaller.options_json = reduced->options_json;
  return smaller;
}

std::string CheckedFile::script_text(const std::string& device, const std::string& torch) const {
  store::DraftFacts facts{.options_json = subject.options_json};
  facts.finding.reduced = subject.text;
  facts.finding.kind = last.verdict.kind.value_or(oracle::Kind::numerical);
  facts.finding.stage = last.stage;
  facts.finding.device = device;
  facts.finding.torch = torch;
  facts.rounds.push_back({.evidence = last.evidence, .verdict = last.verdict});
  return store::render_repro(facts);
}

void CheckedFile::note(const Examined& examined) {
  if (examined.what != Examination::final_gate) last = {.verdict = examined.verdict, .evidence = examined.evidence};
  if (examined.what == Examination::closer) {
    shown.stage = examined.stage;
  } else if (examined.what == Examination::gate) {
    shown.verdict = examined.verdict;
    shown.evidence = examined.evidence;
    confirmed = shown;
  } else if (examined.what == Examination::final_gate) {
    const auto why =
        oracle::why_another(shown, {.verdict = examined.verdict, .evidence = examined.evidence, .stage = shown.stage});
    position.final_rounds = 1;
    position.final_hits = why ? 0 : 1;
    if (!why) confirmed = {.verdict = examined.verdict, .evidence = examined.evidence};
    reduced->why += why ? "; fresh processes show " + *why : "; fresh processes show it";
  }
}

Event CheckedFile::event_of(const Examined& examined) const {
  switch (examined.what) {
    case Examination::screen:
      return Screened{.verdict = examined.verdict, .trusted = examined.trusted};
    case Examination::closer:
      return LookedCloser{.verdict = examined.verdict, .trusted = examined.trusted};
    case Examination::gate:
      return RoundJudged{.verdict = examined.verdict};
    default:
      return Further{.verdict = shown.verdict};
  }
}

void CheckedFile::go_to(const Move& move) {
  position.state = move.state;
  position.gate_rounds = move.gate_rounds;
  position.gate_hits = move.gate_hits;
}

}  // namespace parityd::agent
