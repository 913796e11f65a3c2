#include "agent/daemon/generation.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "agent/daemon/booking.h"
#include "agent/daemon/choices.h"
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
  const auto failure = failure_of(eager);
  prompts::RepairFacts facts{.program = program.text,
                             .error = failure.message,
                             .error_class = std::string(prompts::name(prompts::classify(failure))),
                             .where = std::string(oracle::name(eager.step)),
                             .round = program.round + 1};
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

/// Nothing was paid, and it was not the prompt's fault.
bool may_be_asked_again(const ReplyError& error) {
  return !error.outcome_unknown && error.kind != ReplyErrorKind::too_large && error.kind != ReplyErrorKind::malformed;
}

/// Programs a strategy with parents may be given: more than it takes, so that the seed has a choice.
constexpr int kParentsToChooseFrom = 40;

std::vector<prompts::Parent> some_of(std::vector<std::string> programs, int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::shuffle(programs.begin(), programs.end(), random);
  std::vector<prompts::Parent> parents;
  for (auto& program : programs) {
    if (static_cast<int>(parents.size()) < count) {
      parents.push_back({.program = std::move(program), .reached = ""});
    }
  }
  return parents;
}

}  // namespace

prompts::Failure failure_of(const oracle::Outcome& eager) {
  if (eager.error) {
    return {.exception = eager.error->outer_class, .message = eager.error->message};
  }
  const bool hung = eager.kind == oracle::OutcomeKind::hung;
  return {.how = hung ? prompts::Failure::How::hung : prompts::Failure::How::died,
          .message = hung ? "it did not end within the time limit" : "the process died"};
}

Generation::Generation(const Config& config, const prompts::PromptSet& prompts, Provider& provider, store::Store& store,
                       Scheduler& scheduler)
    : config_(config), prompts_(prompts), provider_(provider), store_(store), scheduler_(scheduler) {}

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

/// `parents`: programs there are to go on from.
const prompts::Strategy& Generation::strategy(std::uint64_t seed, std::size_t parents) const {
  std::vector<Scheduler::Offer> offers;
  for (const auto& each : prompts_.strategies) {
    if (each.weight > 0 && static_cast<std::size_t>(each.parents) <= parents) {
      offers.push_back({.name = arm_of_strategy(each.name), .weight = each.weight});
    }
  }
  const std::string chosen = scheduler_.choose(offers, config_.seed ^ (seed * 0x9E3779B97F4A7C15ULL));
  return *std::find_if(prompts_.strategies.begin(), prompts_.strategies.end(),
                       [&](const auto& each) { return arm_of_strategy(each.name) == chosen; });
}

bool Generation::ask(executor::TimePoint now, store::Millis wall, Outbox& outbox) {
  const std::uint64_t seed = next_seed();
  const auto programs = store_.recent_valid_programs(kParentsToChooseFrom);
  const auto& chosen = strategy(seed, programs.size());
  Prompt prompt{.purpose = Purpose::generate, .strategy = chosen.name, .seed = seed};
  prompt.messages = {
      {Message::Role::system, prompts_.system},
      {Message::Role::user, prompts::render_generate(prompts_, chosen, seed, some_of(programs, chosen.parents, seed))}};
  const bool asked = submit(std::move(prompt), {.strategy = chosen.name, .purpose = "generate"}, now, wall, outbox);
  if (asked) {
    scheduler_.pulled(arm_of_strategy(chosen.name));
  }
  return asked;
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
  std::string refused;
  for (Provider* candidate : provider_.candidates(prompt.purpose, now)) {
    auto booked = book(config_, store_, *candidate, prompt, row, wall);
    if (!booked) {
      refused = refused.empty() ? booked.error() : refused;  // another one may cost less, or nothing
      continue;
    }
    pause_reason_ = refused;
    provider_.promise(*candidate);
    prompt.provider = candidate->name();
    requests_[booked->id] = *booked;
    outbox.push_back([this, id = booked->id, prompt = std::move(prompt), now]() mutable {
      provider_.submit(id, std::move(prompt), now);
    });
    return true;
  }
  pause_reason_ = refused;
  return false;
}

std::vector<Answered> Generation::take(executor::TimePoint now, store::Millis wall) {
  std::vector<Answered> answered;
  for (auto& answer : provider_.take_answers(now)) {
    const auto found = requests_.find(answer.id);
    if (found == requests_.end()) {
      continue;
    }
    const std::string asked = found->second.strategy;
    store::ReplyRow row = settled(store_, std::move(found->second), answer.reply, wall);
    requests_.erase(found);
    if (row.purpose == "generate" && !row.origin.empty()) {
      scheduler_.cancelled(arm_of_strategy(asked));  // builtin's choice is its own
    }
    answered.push_back(answer.reply ? reread(row)
                                    : Answered{.row = std::move(row),
                                               .arrival = std::nullopt,
                                               .again = may_be_asked_again(answer.reply.error())});
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
                  .provider = row.provider,
                  .truncated = extracted.truncated,
                  .seed = row.seed};
  if (const auto* chosen = prompts_.find(row.strategy)) {
    arrival.default_options = chosen->options_json;
  }
  answered.arrival = std::move(arrival);
  return answered;
}

}  // namespace parityd::agent
