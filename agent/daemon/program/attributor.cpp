#include "agent/daemon/program/attributor.h"

#include <nlohmann/json.hpp>

#include "oracle/json_read.h"

namespace parityd::agent {
namespace {

bool is_set(const nlohmann::json& options, const char* key) {
  const auto found = options.find(key);
  if (found == options.end()) return false;
  if (found->is_boolean()) return found->get<bool>();
  return found->is_number_integer() ? found->get<int>() > 1 : !found->empty();
}

}  // namespace

oracle::AttributionFacts attribution_facts(const Subject& subject, const oracle::Evidence& evidence,
                                           oracle::Stage stage, const Place& place) {
  oracle::AttributionFacts facts;
  facts.stage = stage;
  facts.device = place.device;
  facts.torch = place.torch;
  facts.program = subject.text;
  facts.compiled = evidence.compiled;
  const auto options = oracle::parsed_object(subject.options_json);
  facts.dynamic = is_set(options, "dynamic") || is_set(options, "mark_dynamic") || is_set(options, "mark_unbacked") ||
                  is_set(options, "calls");
  facts.backward = is_set(options, "backward") || subject.text.find(".backward(") != std::string::npos;
  const auto calls = options.find("calls");
  const bool said = calls != options.end() && calls->is_number_integer();
  facts.several_calls = (said ? calls->get<int>() : oracle::row(evidence.compiled).calls) > 1;
  facts.threads = is_set(options, "threads");
  if (const auto* const outcome = evidence.outcome(evidence.compiled)) {
    facts.lowered = outcome->lowered;
    facts.decomposed = outcome->decomposed;
  }
  return facts;
}

Attributor::Attributor(Examiner& examiner, Subject subject, oracle::Shown symptom, Place place)
    : examiner_(examiner),
      subject_(std::move(subject)),
      symptom_(std::make_shared<const oracle::Shown>(std::move(symptom))),
      place_(std::move(place)) {}

void Attributor::begin(std::optional<oracle::Stage> stage, executor::TimePoint now) {
  if (stage) {
    search(*stage, now);
  } else {
    examiner_.run_stages(subject_, symptom_->verdict, now);
  }
}

void Attributor::search(oracle::Stage stage, executor::TimePoint now) {
  stage_ = stage;
  attribution_.emplace(attribution_facts(subject_, symptom_->evidence, stage, place_));
  submit(now);
}

void Attributor::on_result(const Examined& examined, executor::TimePoint now) {
  seconds_ += examined.seconds;
  if (examined.what == Examination::stages) {
    search(examined.stage, now);
  } else if (examined.what == Examination::ablation && attribution_) {
    attribution_->on_answer(examined.round, examined.answer, examined.evidence.untried);
    submit(now);
  }
}

void Attributor::submit(executor::TimePoint now) {
  for (const auto& ablation : attribution_->next()) {
    ++runs_;
    examiner_.ablate(subject_, ablation, symptom_, now);
  }
}

}  // namespace parityd::agent
