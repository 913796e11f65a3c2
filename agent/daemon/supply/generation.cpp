#include "agent/daemon/supply/generation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "agent/daemon/program/draw_seed.h"
#include "agent/daemon/supply/booking.h"
#include "agent/llm/reply.h"

namespace parityd::agent {
namespace {

Finish finish_of(const std::string& text) { return oracle::from_name<Finish>(text).value_or(Finish::stop); }

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

/// Whether the reply is "none", as requested in prompts/strategies/source_outcomes.md.
bool says_none(const std::string& reply) {
  std::string letters;
  std::ranges::copy_if(reply, std::back_inserter(letters), [](unsigned char c) { return std::isalnum(c) != 0; });
  return letters == "none" || letters == "None";
}

/// Nothing was billed, and the prompt was not at fault.
bool may_be_asked_again(const ReplyError& error) {
  return !error.outcome_unknown && error.kind != ReplyErrorKind::too_large && error.kind != ReplyErrorKind::malformed;
}

/// Programs offered to a strategy with parents: more than it uses, so that the seed has a choice.
constexpr int kParentsToChooseFrom = 40;

/// Consecutive prompts that are too long before a strategy rests.
constexpr int kTooLong = 3;

/// The most parents that any strategy asks for.
int most_parents(const prompts::PromptSet& prompts) {
  int most = 0;
  for (const auto& each : prompts.strategies) most = std::max(most, each.parents);
  return most;
}

std::vector<prompts::Parent> some_of(std::vector<std::string> programs, int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::shuffle(programs.begin(), programs.end(), random);
  programs.resize(std::min(programs.size(), static_cast<std::size_t>(count)));
  std::vector<prompts::Parent> parents;
  parents.reserve(programs.size());
  for (auto& program : programs) parents.push_back({.program = std::move(program), .reached = ""});
  return parents;
}

}  // namespace

prompts::Failure failure_of(const oracle::Outcome& eager) {
  if (eager.error) return {.exception = eager.error->outer_class, .message = eager.error->message};
  const bool hung = eager.kind == oracle::OutcomeKind::hung;
  return {.how = hung ? prompts::Failure::How::hung : prompts::Failure::How::died,
          .message = hung ? "it did not end within the time limit" : "the process died"};
}

Generation::Generation(const Config& config, const prompts::PromptSet& prompts, Provider& provider, store::Store& store,
                       Scheduler& scheduler)
    : config_(config), prompts_(prompts), provider_(provider), store_(store), scheduler_(scheduler) {}

int Generation::generating() const {
  return static_cast<int>(std::ranges::count_if(
      requests_, [](const auto& entry) { return entry.second.row.purpose == store::ReplyPurpose::generate; }));
}

std::uint64_t Generation::next_seed() { return count_up("next_seed"); }

/// Returns 0, 1, 2, …, continuing over restarts.
std::uint64_t Generation::count_up(const std::string& key) {
  const std::uint64_t count = std::stoull(store_.values.find(key).value_or("0"));
  store_.values.set(key, std::to_string(count + 1));
  return count;
}

bool Generation::tells_outcomes() const {
  return std::ranges::any_of(prompts_.readings, [this](const auto& each) {
    return each.reads == prompts::Reads::outcomes && each.weight > 0 && !rests(each.name);
  });
}

bool Generation::rests(const std::string& strategy) const {
  const auto found = too_long_.find(strategy);
  return found != too_long_.end() && found->second >= kTooLong;
}

/// `parents`: number of programs available as parents. `readings`: reading strategies that have something to read.
const prompts::Strategy* Generation::strategy(std::uint64_t seed, std::size_t parents,
                                              const std::vector<const prompts::Strategy*>& readings) const {
  std::vector<const prompts::Strategy*> offered = readings;
  for (const auto& each : prompts_.strategies) {
    if (each.weight > 0 && static_cast<std::size_t>(each.parents) <= parents && !rests(each.name)) {
      offered.push_back(&each);
    }
  }
  if (offered.empty()) return nullptr;
  std::vector<Scheduler::Offer> offers;
  std::transform(offered.begin(), offered.end(), std::back_inserter(offers), [](const auto* each) {
    return Scheduler::Offer{.name = arm_of_strategy(each->name), .weight = each->weight};
  });
  const std::string chosen = scheduler_.choose(offers, draw_seed(config_.seed, seed));
  return *std::find_if(offered.begin(), offered.end(),
                       [&](const auto* each) { return arm_of_strategy(each->name) == chosen; });
}

std::vector<const prompts::Strategy*> Generation::readings() const {
  std::vector<const prompts::Strategy*> found;
  for (const auto& each : prompts_.readings) {
    if (room_ != nullptr && each.weight > 0 && !rests(each.name) && room_->has(each.reads)) found.push_back(&each);
  }
  return found;
}

bool Generation::ask(executor::TimePoint now, store::Millis wall, Outbox& outbox) {
  const std::uint64_t seed = next_seed();
  const auto parents = store_.programs.recent_valid(most_parents(prompts_)).size();
  const prompts::Strategy* chosen = strategy(seed, parents, readings());
  bool asked = false;
  if (chosen != nullptr && chosen->reads != prompts::Reads::nothing) {
    auto made = reading(*chosen, seed);
    asked = made && submit(std::move(*made), now, wall, outbox);
    if (!asked) chosen = strategy(seed, parents, {});  // everything to read rests, or no model can be asked
  }
  if (chosen == nullptr) {
    pause_reason_.clear();  // each resting strategy was reported
    return false;
  }
  asked = asked || submit(usual(*chosen, seed), now, wall, outbox);
  if (asked) scheduler_.pulled(arm_of_strategy(chosen->name));
  return asked;
}

Generation::Request Generation::usual(const prompts::Strategy& chosen, std::uint64_t seed) const {
  const auto programs =
      chosen.parents > 0 ? store_.programs.recent_valid(kParentsToChooseFrom) : std::vector<std::string>();
  const auto parents = some_of(programs, chosen.parents, seed);
  return first_request(chosen, seed, prompts_.system, [&](prompts::Quoting quoting) {
    return prompts::render_generate(prompts_, chosen, seed, parents, quoting);
  });
}

std::optional<Generation::Request> Generation::reading(const prompts::Strategy& chosen, std::uint64_t seed) const {
  if (chosen.reads == prompts::Reads::outcomes) return outcomes(chosen, seed);
  auto loan = room_->lend(chosen.reads, draw_seed(config_.seed, seed));
  if (!loan) return std::nullopt;
  Request made = first_request(chosen, seed, prompts_.reader, [&](prompts::Quoting quoting) {
    return prompts::render_reading(chosen, loan->facts, quoting);
  });
  made.reading = std::move(loan->reading);
  made.units_when_trimmed = prompts::units_when_trimmed(loan->facts);
  return made;
}

std::optional<Generation::Request> Generation::outcomes(const prompts::Strategy& chosen, std::uint64_t seed) const {
  auto talk = room_->go_on();
  if (!talk) return std::nullopt;
  auto said = messages_of(talk->said, prompts_.reader);
  Request made = first_request(chosen, seed, prompts_.reader, [&](prompts::Quoting quoting) {
    return prompts::render_outcomes(chosen, talk->facts, quoting);
  });
  // The contract is already part of the conversation.
  made.prompt.messages.front() = std::move(made.prompt.messages.back());
  made.prompt.messages.pop_back();
  made.prompt.said = said.size();
  made.prompt.messages.insert(made.prompt.messages.begin(), std::make_move_iterator(said.begin()),
                              std::make_move_iterator(said.end()));
  made.partner = talk->said.back().provider;
  made.reading = std::move(talk->reading);
  return made;
}

bool Generation::repair(const store::ProgramRow& program, const oracle::Outcome& eager, executor::TimePoint now,
                        store::Millis wall, Outbox& outbox) {
  const auto facts = facts_of(program, eager);
  const auto text = [&](prompts::Quoting quoting) { return prompts::render_repair(prompts_, facts, quoting); };
  return submit(request({.purpose = Purpose::repair, .strategy = program.strategy, .messages = {}, .seed = next_seed()},
                        {.strategy = program.strategy, .purpose = store::ReplyPurpose::repair, .program = program.id},
                        prompts_.system, text),
                now, wall, outbox);
}

Generation::Request Generation::first_request(const prompts::Strategy& chosen, std::uint64_t seed,
                                              const std::string& system, const Text& text) const {
  return request({.purpose = Purpose::generate, .strategy = chosen.name, .messages = {}, .seed = seed},
                 {.strategy = chosen.name, .purpose = store::ReplyPurpose::generate}, system, text);
}

Generation::Request Generation::request(Prompt prompt, store::ReplyRow row, const std::string& system,
                                        const Text& text) const {
  std::string whole = text(prompts::Quoting::whole);
  std::string trimmed = text(prompts::Quoting::trimmed);
  const bool shorter = trimmed.size() < whole.size();
  prompt.messages = {{Message::Role::system, system}, {Message::Role::user, std::move(whole)}};
  return {.prompt = std::move(prompt), .row = std::move(row), .shorter = shorter ? std::move(trimmed) : ""};
}

bool Generation::submit(Request request, executor::TimePoint now, store::Millis wall, Outbox& outbox) {
  std::string refused;
  auto candidates = provider_.candidates(request.prompt.purpose, now);
  std::stable_partition(candidates.begin(), candidates.end(),
                        [&](const Provider* each) { return each->name() == request.partner; });
  for (Provider* candidate : candidates) {
    if (request.reading && !candidate->can_repair()) {
      continue;  // it would answer without reading
    }
    auto booked = book(config_, store_, *candidate, request.prompt, request.row, wall);
    if (!booked) {
      refused = refused.empty() ? booked.error() : refused;  // another provider may cost less, or nothing
      continue;
    }
    pause_reason_ = refused;
    provider_.promise(*candidate);
    request.row = std::move(*booked);
    if (request.reading) {
      request.reading->reply = request.row.id;
      request.reading->at = wall;
      store_.readings.add(*request.reading);
    }
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
  if (request.shorter.empty()) return false;
  request.prompt.messages.back().text = std::exchange(request.shorter, "");
  if (request.reading) {
    request.reading->units.resize(std::min(request.reading->units.size(), request.units_when_trimmed));
  }
  return submit(std::move(request), now, wall, outbox);
}

std::vector<Answered> Generation::drain_answers(executor::TimePoint now, store::Millis wall, Outbox& outbox) {
  std::vector<Answered> answered;
  for (auto& answer : provider_.take_answers(now)) {
    auto found = requests_.extract(answer.id);
    if (found.empty()) continue;
    const std::string asked = found.mapped().row.strategy;
    store::ReplyRow row = settled(store_, found.mapped().row, answer.reply, wall);
    if (row.purpose == store::ReplyPurpose::generate && row.origin) {
      scheduler_.cancelled(arm_of_strategy(asked));  // builtin chooses itself
    }
    if (answer.reply) {
      if (row.purpose == store::ReplyPurpose::generate && !rests(asked)) too_long_.erase(asked);
      answered.push_back(reread(row));
      continue;
    }
    const bool too_long = answer.reply.error().kind == ReplyErrorKind::too_large;
    const bool shortest = found.mapped().shorter.empty();
    const bool trimmed = too_long && submit_trimmed(std::move(found.mapped()), now, wall, outbox);
    const bool counts = too_long && shortest && row.purpose == store::ReplyPurpose::generate;
    answered.push_back({.row = std::move(row),
                        .arrivals = {},
                        .again = may_be_asked_again(answer.reply.error()),
                        .trimmed = trimmed,
                        .rests = counts && ++too_long_[asked] == kTooLong});
  }
  return answered;
}

Answered Generation::reread(const store::ReplyRow& row) const {
  Answered answered{.row = row, .arrivals = {}};
  answered.arrivals = arrivals_of(row, answered.row.klass);
  const auto* chosen = prompts_.find(row.strategy);
  for (std::size_t at = 0; at < answered.arrivals.size(); ++at) {
    Arrival& arrival = answered.arrivals[at];
    arrival.origin = row.origin.value_or(store::Origin::reply);
    arrival.strategy = row.strategy;
    arrival.reply = row.id;
    arrival.provider = row.provider;
    arrival.seed = row.seed + at;
    if (chosen != nullptr) arrival.default_options = chosen->options_json;
  }
  return answered;
}

/// The reply's programs as arrivals. The hypotheses of a reading are stored.
std::vector<Arrival> Generation::arrivals_of(const store::ReplyRow& row, std::string& klass) const {
  std::vector<Arrival> arrivals;
  const bool generated = row.purpose == store::ReplyPurpose::generate && !row.origin;
  if (const auto found = generated ? store_.readings.of(row.id) : std::nullopt) {
    auto reading = extract_reading(row.text, finish_of(row.finish), prompts::kChecksOfReading);
    klass = found->round > 0 && says_none(row.text) ? kNothingLeft : agent::name(reading.klass);
    for (auto& each : reading.hypotheses) {
      if (each.hypothesis.empty()) {
        each.place = 0;
      } else {
        store_.hypotheses.put(row.id, each.place, each.hypothesis, std::nullopt);
      }
      if (!each.program.empty()) {
        arrivals.push_back({.text = std::move(each.program), .hypothesis = each.place, .truncated = each.truncated});
      }
    }
    return arrivals;
  }
  auto extracted = extract_program(row.text, finish_of(row.finish));
  klass = agent::name(extracted.klass);
  if (extracted.klass == ReplyClass::program) {
    arrivals.push_back({.text = std::move(extracted.program), .truncated = extracted.truncated});
  }
  return arrivals;
}

}  // namespace parityd::agent
