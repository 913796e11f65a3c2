#include "agent/daemon/generation.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <random>

#include "agent/daemon/booking.h"
#include "agent/llm/reply.h"

namespace parityd::agent {
namespace {

Finish finish_of(const std::string& text) {
  for (const Finish finish : {Finish::length, Finish::refusal, Finish::filter}) {
    if (text == name(finish)) {
      return finish;
    }
  }
  return Finish::stop;
}

prompts::RepairFacts facts_of(const store::ProgramRow& program, const oracle::Outcome& eager) {
  prompts::RepairFacts facts{
      .program = program.text, .where = std::string(oracle::name(eager.step)), .round = program.round + 1};
  if (eager.error) {
    const auto& error = *eager.error;
    facts.error = error.outer_class + ": " + error.message;
    facts.line = error.user_line;
    facts.source_line = error.user_source;
    for (const auto& live : error.live_tensors) {
      facts.live_tensors.push_back(
          fmt::format("{}: {} [{}]", live.expression, live.dtype, fmt::join(live.shape, ", ")));
    }
  }
  return facts;
}

}  // namespace

Generation::Generation(const Config& config, const prompts::PromptSet& prompts, Provider& provider, store::Store& store)
    : config_(config), prompts_(prompts), provider_(provider), store_(store) {}

int Generation::generating() const {
  int count = 0;
  for (const auto& [id, row] : requests_) {
    count += row.purpose == "generate" ? 1 : 0;
  }
  return count;
}

std::uint64_t Generation::next_seed() {
  const std::string key = "next_seed";
  const std::uint64_t seed = std::stoull(store_.value(key).value_or("0"));
  store_.set_value(key, std::to_string(seed + 1));
  return seed;
}

const prompts::Strategy& Generation::strategy(std::uint64_t seed) const {
  std::vector<double> weights;
  for (const auto& each : prompts_.strategies) {
    weights.push_back(each.weight);
  }
  std::mt19937_64 random(config_.seed ^ (seed * 0x9E3779B97F4A7C15ULL));
  return prompts_.strategies.at(std::discrete_distribution<std::size_t>(weights.begin(), weights.end())(random));
}

bool Generation::ask(executor::TimePoint now, store::Millis wall, Outbox& outbox) {
  const std::uint64_t seed = next_seed();
  const auto& chosen = strategy(seed);
  Prompt prompt{.purpose = Purpose::generate, .strategy = chosen.name, .seed = seed};
  prompt.messages = {{Message::Role::system, prompts_.system},
                     {Message::Role::user, prompts::render_generate(chosen, seed)}};
  return submit(std::move(prompt), {.strategy = chosen.name, .purpose = "generate"}, now, wall, outbox);
}

bool Generation::repair(const store::ProgramRow& program, const oracle::Outcome& eager, executor::TimePoint now,
                        store::Millis wall, Outbox& outbox) {
  Prompt prompt{.purpose = Purpose::repair, .strategy = program.strategy, .seed = next_seed()};
  prompt.messages = {{Message::Role::system, prompts_.system},
                     {Message::Role::user, prompts::render_repair(prompts_, facts_of(program, eager))}};
  return submit(std::move(prompt), {.strategy = program.strategy, .purpose = "repair", .program = program.id}, now,
                wall, outbox);
}

bool Generation::submit(Prompt prompt, store::ReplyRow row, executor::TimePoint now, store::Millis wall,
                        Outbox& outbox) {
  auto booked = book(config_, store_, provider_, prompt, std::move(row), wall);
  if (!booked) {
    pause_reason_ = booked.error();
    return false;
  }
  pause_reason_.clear();
  requests_[booked->id] = *booked;
  outbox.push_back([this, id = booked->id, prompt = std::move(prompt), now]() mutable {
    provider_.submit(id, std::move(prompt), now);
  });
  return true;
}

std::vector<Answered> Generation::take(executor::TimePoint now, store::Millis wall) {
  std::vector<Answered> answered;
  for (auto& answer : provider_.take_answers(now)) {
    const auto found = requests_.find(answer.id);
    if (found == requests_.end()) {
      continue;
    }
    store::ReplyRow row = settled(store_, std::move(found->second), answer.reply, wall);
    requests_.erase(found);
    answered.push_back(answer.reply ? reread(row) : Answered{.row = std::move(row), .arrival = std::nullopt});
  }
  return answered;
}

Answered Generation::reread(const store::ReplyRow& row) const {
  Answered answered{.row = row, .arrival = std::nullopt};
  const auto extracted = extract_program(row.text, finish_of(row.finish));
  answered.row.klass = agent::name(extracted.klass);
  if (extracted.klass != ReplyClass::program) {
    return answered;
  }
  Arrival arrival{.text = extracted.program,
                  .origin = row.origin.empty() ? "reply" : row.origin,
                  .strategy = row.strategy,
                  .reply = row.id,
                  .truncated = extracted.truncated,
                  .seed = row.seed};
  if (const auto* chosen = prompts_.find(row.strategy)) {
    arrival.default_options = chosen->options_json;
  }
  answered.arrival = std::move(arrival);
  return answered;
}

}  // namespace parityd::agent
