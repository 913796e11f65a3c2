#include "executor/syntax/syntax_client.h"

#include <xxhash.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "executor/syntax/syntax_process.h"
#include "oracle/json_read.h"

namespace parityd::executor {

namespace {

using nlohmann::json;

std::string identity_of(const std::string& text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  std::array<char, 33> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return {digits.data(), 32};
}

Normalised normalised_from(const json& answer) {
  Normalised result;
  result.identity = identity_of(answer.at("identity_text").get<std::string>());
  result.text = answer.at("text").get<std::string>();
  result.fixes = answer.at("fixes").get<std::vector<std::string>>();
  result.options_text = answer.at("options").dump();
  result.draws = answer.at("draws").get<bool>();
  result.has_model = answer.at("has_model").get<bool>();
  result.has_inputs = answer.at("has_inputs").get<bool>();
  result.problem = answer.at("problem").get<std::string>();
  return result;
}

Outline outline_from(const json& answer) {
  Outline result;
  result.operators = answer.at("operators").get<std::vector<std::string>>();
  result.statements = answer.at("statements").get<int>();
  return result;
}

std::vector<Mutant> mutants_from(const json& answer) {
  std::vector<Mutant> result;
  for (const json& mutant : answer.at("mutants")) {
    result.push_back({mutant.at("program").get<std::string>(), mutant.at("kind").get<std::string>(),
                      mutant.at("description").get<std::string>()});
  }
  return result;
}

ReductionEdits reductions_from(const json& answer) {
  ReductionEdits result{
      .edits = {}, .statements = answer.at("statements").get<int>(), .lines = answer.at("lines").get<int>()};
  for (const json& edit : answer.at("reductions")) {
    result.edits.push_back({edit.at("id").get<std::string>(), edit.at("family").get<std::string>(),
                            edit.at("style").get<std::string>(), edit.at("description").get<std::string>()});
  }
  return result;
}

ReducedText reduced_from(const json& answer) {
  return {.program = answer.at("program").get<std::string>(),
          .options_text = answer.at("options").dump(),
          .statements = answer.at("statements").get<int>(),
          .lines = answer.at("lines").get<int>()};
}

std::vector<ProgramVariant> variants_from(const json& answer) {
  std::vector<ProgramVariant> result;
  for (const json& variant : answer.at("variants")) {
    ProgramVariant found{.aspect = variant.at("aspect").get<std::string>(),
                         .value = variant.at("value").get<std::string>(),
                         .unit = variant.at("unit").get<std::string>()};
    if (variant.contains("program")) {
      found.program = variant.at("program").get<std::string>();
      found.options_text = variant.at("options").dump();
    }
    result.push_back(std::move(found));
  }
  return result;
}

}  // namespace

json Normalised::options() const { return json::parse(options_text.empty() ? "{}" : options_text); }

struct SyntaxClient::State : SyntaxProcess {
  using SyntaxProcess::SyntaxProcess;
};

SyntaxClient::SyntaxClient(std::filesystem::path launcher, std::filesystem::path python, std::filesystem::path script,
                           std::filesystem::path scratch)
    : state_(std::make_unique<State>(SyntaxPlaces{.launcher = std::move(launcher),
                                                  .python = std::move(python),
                                                  .script = std::move(script),
                                                  .scratch = std::move(scratch)})) {}

SyntaxClient::~SyntaxClient() = default;

void SyntaxClient::normalise(const std::string& program, bool fix, bool truncated, Done<Normalised> done) {
  state_->ask({{"op", "normalise"}, {"program", program}, {"fix", fix}, {"truncated", truncated}},
              answering<Normalised>(std::move(done), normalised_from));
}

void SyntaxClient::outline(const std::string& program, Done<Outline> done) {
  state_->ask({{"op", "outline"}, {"program", program}}, answering<Outline>(std::move(done), outline_from));
}

void SyntaxClient::mutants(const MutantWishes& wishes, Done<std::vector<Mutant>> done) {
  state_->ask({{"op", "mutants_of"},
               {"program", wishes.program},
               {"others", wishes.others},
               {"seed", wishes.seed},
               {"count", wishes.count},
               {"along", wishes.along}},
              answering<std::vector<Mutant>>(std::move(done), mutants_from));
}

void SyntaxClient::with_options(const std::string& program, const std::string& options_json, StatedOptions stated,
                                Done<Normalised> done) {
  json options = oracle::parsed(options_json);
  if (!options.is_object()) {
    done(tl::unexpected(SyntaxError{"the options are not a JSON object"}));
    return;
  }
  state_->ask({{"op", "with_options"},
               {"program", program},
               {"options", std::move(options)},
               {"stated", stated == StatedOptions::stay}},
              answering<Normalised>(std::move(done), normalised_from));
}

void SyntaxClient::reductions(const std::string& program, const std::string& values, Done<ReductionEdits> done) {
  state_->ask({{"op", "reductions_of"}, {"program", program}, {"values", oracle::parsed(values)}},
              answering<ReductionEdits>(std::move(done), reductions_from));
}

void SyntaxClient::reduced(const std::string& program, const std::string& values,
                           const std::vector<std::string>& edit_ids, UnreadLocals locals, Done<ReducedText> done) {
  state_->ask({{"op", "reduced"},
               {"program", program},
               {"values", oracle::parsed(values)},
               {"reductions", edit_ids},
               {"unread_locals", locals == UnreadLocals::stay}},
              answering<ReducedText>(std::move(done), reduced_from));
}

void SyntaxClient::plain(const std::string& program, UnreadLocals locals, Done<ReducedText> done) {
  state_->ask({{"op", "plain"}, {"program", program}, {"unread_locals", locals == UnreadLocals::stay}},
              answering<ReducedText>(std::move(done), reduced_from));
}

void SyntaxClient::sweep(const SweepWishes& wishes, Done<std::vector<ProgramVariant>> done) {
  state_->ask({{"op", "sweep_of"},
               {"program", wishes.program},
               {"operator", wishes.operator_name},
               {"siblings", wishes.siblings},
               {"most", wishes.most}},
              answering<std::vector<ProgramVariant>>(std::move(done), variants_from));
}

void SyntaxClient::variants(const std::string& program, const std::string& operator_name,
                            const std::vector<std::string>& modes, Done<std::vector<ProgramVariant>> done) {
  state_->ask({{"op", "variants_of"}, {"program", program}, {"operator", operator_name}, {"modes", modes}},
              answering<std::vector<ProgramVariant>>(std::move(done), variants_from));
}

void SyntaxClient::append_interests(std::vector<Interest>& interests) const { state_->append_interests(interests); }

void SyntaxClient::poll() { state_->poll(); }

bool SyntaxClient::idle() const { return state_->idle(); }

void SyntaxClient::wait() { state_->wait(); }

}  // namespace parityd::executor
