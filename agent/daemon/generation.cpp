#include "agent/daemon/generation.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "agent/daemon/booking.h"
#include "agent/daemon/choices.h"
#include "agent/daemon/draw_seed.h"
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

/// That any strategy asks for.
int most_parents(const prompts::PromptSet& prompts) {
  int most = 0;
  for (const auto& each : prompts.strategies) {
    most = std::max(most, each.parents);
  }
  return most;
}

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
  for (const auto& [id, request] : requests_) {
    count += request.row.purpose == "generate" ? 1 : 0;
  }
  return count;
}

std::uint64_t Generation::next_seed() { return count_up("next_seed"); }

/// 0, 1, 2, …, over restarts.
std::uint64_t Generation::count_up(const std::string& key) {
  const std::uint64_t count = std::stoull(store_.value(key).value_or("0"));
  store_.set_value(key, std::to_string(count + 1));
  return count;
}

/// `parents`: programs there are to go on from.
const prompts::Strategy& Generation::strategy(std::uint64_t seed, std::size_t parents) const {
  std::vector<Scheduler::Offer> offers;
  for (const auto& each : prompts_.strategies) {
    if (each.weight > 0 && static_cast<std::size_t>(each.parents) <= parents) {
      offers.push_back({.name = arm_of_strategy(each.name), .weight = each.weight});
    }
  }
  const std::string chosen = scheduler_.choose(offers, draw_seed(config_.seed, seed));
  return *std::find_if(prompts_.strategies.begin(), prompts_.strategies.end(),
                       [&](const auto& each) { return arm_of_strategy(each.name) == chosen; });
}

bool Generation::ask(executor::TimePoint now, store::Millis wall, Outbox& outbox) {
  const std::uint64_t seed = next_seed();
  const auto& chosen = strategy(seed, store_.recent_valid_programs(most_parents(prompts_)).size());
  const auto programs =
      chosen.parents > 0 ? store_.recent_valid_programs(kParentsToChooseFrom) : std::vector<std::string>();
  const auto parents = some_of(programs, chosen.parents, seed);
  const auto text = [&](prompts::Quoting quoting) {
    return prompts::render_generate(prompts_, chosen, seed, parents, quoting);
  };
  const bool asked =
      submit(request({.purpose = Purpose::generate, .strategy = chosen.name, .messages = {}, .seed = seed},
                     {.strategy = chosen.name, .purpose = "generate"}, text),
             now, wall, outbox);
  if (asked) {
    scheduler_.pulled(arm_of_strategy(chosen.name));
  }
  return asked;
}

bool Generation::repair(const store::ProgramRow& program, const oracle::Outcome& eager, executor::TimePoint now,
                        store::Millis wall, Outbox& outbox) {
  const auto facts = facts_of(program, eager);
  const auto text = [&](prompts::Quoting quoting) { return prompts::render_repair(prompts_, facts, quoting); };
  return submit(request({.purpose = Purpose::repair, .strategy = program.strategy, .messages = {}, .seed = next_seed()},
                        {.strategy = program.strategy, .purpose = "repair", .program = program.id}, text),
                now, wall, outbox);
}

Generation::Request Generation::request(Prompt prompt, store::ReplyRow row,
                                        const std::function<std::string(prompts::Quoting)>& text) const {
  std::string whole = text(prompts::Quoting::whole);
  std::string trimmed = text(prompts::Quoting::trimmed);
  const bool shorter = trimmed.size() < whole.size();
  prompt.messages = {{Message::Role::system, prompts_.system}, {Message::Role::user, std::move(whole)}};
  return {.prompt = std::move(prompt), .row = std::move(row), .shorter = shorter ? std::move(trimmed) : ""};
}

bool Generation::submit(Request request, executor::TimePoint now, store::Millis wall, Outbox& outbox) {
  std::string refused;
  for (Provider* candidate : provider_.candidates(request.prompt.purpose, now)) {
    auto booked = book(config_, store_, *candidate, request.prompt, request.row, wall);
    if (!booked) {
      refused = refused.empty() ? booked.error() : refused;  // another one may cost less, or nothing
      continue;
    }
    pause_reason_ = refused;
    provider_.promise(*candidate);
    request.row = std::move(*booked);
    request.prompt.provider = candidate->name();
    request.prompt.number = count_up("next_prompt/" + candidate->name());
    outbox.push_back([this, id = request.row.id, prompt = request.prompt, now]() mutable {
      provider_.submit(id, std::move(prompt), now);
    });
    requests_[request.row.id] = std::move(request);
    return true;
  }
  pause_reason_ = refused;
  return false;
}

bool Generation::submit_trimmed(Request request, executor::TimePoint now, store::Millis wall, Outbox& outbox) {
  if (request.shorter.empty()) {
    return false;
  }
  request.prompt.messages.back().text = std::exchange(request.shorter, "");
  return submit(std::move(request), now, wall, outbox);
}

std::vector<Answered> Generation::take(executor::TimePoint now, store::Millis wall, Outbox& outbox) {
  std::vector<Answered> answered;
  for (auto& answer : provider_.take_answers(now)) {
    auto found = requests_.extract(answer.id);
    if (found.empty()) {
      continue;
    }
    const std::string asked = found.mapped().row.strategy;
    store::ReplyRow row = settled(store_, found.mapped().row, answer.reply, wall);
    if (row.purpose == "generate" && !row.origin.empty()) {
      scheduler_.cancelled(arm_of_strategy(asked));  // builtin's choice is its own
    }
    if (answer.reply) {
      answered.push_back(reread(row));
      continue;
    }
    const bool trimmed = answer.reply.error().kind == ReplyErrorKind::too_large &&
                         submit_trimmed(std::move(found.mapped()), now, wall, outbox);
    answered.push_back({.row = std::move(row),
                        .arrival = std::nullopt,
                        .again = may_be_asked_again(answer.reply.error()),
                        .trimmed = trimmed});
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
