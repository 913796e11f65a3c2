// The rules asked first: how the two runs ended, before any values are compared.
#include <algorithm>
#include <array>
#include <utility>

#include "oracle/rules/message.h"
#include "oracle/rules/refusals.h"
#include "oracle/rules/rules.h"

namespace parityd::oracle::rules {
namespace {

constexpr int kSignalKill = 9;
constexpr int kSignalTerminate = 15;

struct Context {
  const Evidence& evidence;
  const Outcome* eager;
  const Outcome* compiled;
  Depth depth;
};

using Decision = std::optional<Verdict>;

bool is(const Outcome* outcome, OutcomeKind kind) { return outcome != nullptr && outcome->kind == kind; }

/// Before the program's forward: both sides do the same there, without any compiler.
bool ended_early(const Outcome& outcome) { return outcome.kind != OutcomeKind::ran && outcome.step < Step::compile; }

bool matches(const std::vector<ErrorPattern>& patterns, const Outcome* outcome) {
  return is(outcome, OutcomeKind::raised) && outcome->error && match(patterns, *outcome->error) != nullptr;
}

std::string error_text(const Outcome& outcome) {
  constexpr std::size_t kLongest = 160;
  if (!outcome.error) return "an unknown error";
  const auto fake = fake_call(outcome.error->message);
  std::string text = outcome.error->inner_class.empty() ? outcome.error->outer_class : outcome.error->inner_class;
  const std::string told =
      fake ? words(*fake)
           : words_of_triton(outcome.error->message).value_or(without_triton_source(outcome.error->message));
  std::string_view message = told;
  if (message.starts_with("backend='")) message.remove_prefix(std::min(message.find('\n'), message.size() - 1) + 1);
  std::string line(message.substr(0, message.find('\n')));
  if (line.size() > kLongest) {
    std::size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;  // not inside a character
    line = line.substr(0, end) + "…";
  }
  while (line.ends_with(' ') || line.ends_with(':')) line.pop_back();  // an error without a message
  if (line.empty()) return text;
  return line.starts_with(text) ? line : text + ": " + line;  // the compiler's wrappers repeat the class
}

std::string signal_text(int number) {
  constexpr std::array<std::pair<int, std::string_view>, 7> kNames{
      {{4, "SIGILL"}, {6, "SIGABRT"}, {7, "SIGBUS"}, {8, "SIGFPE"}, {9, "SIGKILL"}, {11, "SIGSEGV"}, {15, "SIGTERM"}}};
  const auto* const found =
      std::find_if(kNames.begin(), kNames.end(), [&](const auto& row) { return row.first == number; });
  const std::string text = "signal " + std::to_string(number);
  return found == kNames.end() ? text : text + " (" + std::string(found->second) + ")";
}

std::string death_text(const Outcome& outcome) {
  std::string text = outcome.signal != 0 ? "is killed by " + signal_text(outcome.signal)
                                         : "exits with status " + std::to_string(outcome.exit_status);
  if (!outcome.native_frame.empty()) text += " in " + outcome.native_frame;
  return text;
}

/// The outcome as a predicate: "raises IndexError: …", "is killed by signal 11 (SIGSEGV)", "hangs".
std::string deed(const Outcome& outcome) {
  switch (outcome.kind) {
    case OutcomeKind::ran:
      return "runs";
    case OutcomeKind::raised:
      return "raises " + error_text(outcome);
    case OutcomeKind::died:
      return death_text(outcome);
    case OutcomeKind::hung:
      break;
  }
  return "hangs in step " + std::string(name(outcome.step));
}

// ---- rules about eager alone

/// If eager runs forever and compiled code does not, no check is missing: this is never a missing check.
Decision hangs_by_itself(const Context& context) {
  const auto mode = own_hang(context.evidence);
  if (!mode) return std::nullopt;
  const std::string which(*mode == Mode::eager ? "Eager" : name(*mode));
  return make_verdict(
      VerdictKind::invalid, std::string(kOwnHang),
      which + " " + deed(*context.evidence.outcome(*mode)) + ", where only the program's own code runs.");
}

Decision eager_missing(const Context& context) {
  if (context.eager != nullptr) return std::nullopt;
  return make_verdict(VerdictKind::unstable, "outcome.incomplete", "There is no eager run to compare with.");
}

Decision eager_ends_early(const Context& context) {
  if (!ended_early(*context.eager)) return std::nullopt;
  return make_verdict(VerdictKind::invalid, "outcome.eager_raises_early",
                      "Eager " + deed(*context.eager) + " in step " + std::string(name(context.eager->step)) + ".");
}

Decision eager_unmeasurable(const Context& context) {
  if (!is(context.eager, OutcomeKind::raised) || context.eager->step != Step::measure) return std::nullopt;
  if (matches(device_failures(), context.eager)) return std::nullopt;
  return make_verdict(VerdictKind::invalid, "outcome.unmeasurable",
                      "The results of eager cannot be recorded: " + error_text(*context.eager) + ".");
}

/// Eager's process is lost, so only a compiled run in another process is evidence.
Decision eager_dies(const Context& context) {
  const bool device = matches(device_failures(), context.eager);
  if (!is(context.eager, OutcomeKind::died) && !device) return std::nullopt;
  if (matches(environment_failures(), context.eager)) return std::nullopt;  // a device that is gone or full
  if (context.depth == Depth::cheap) {
    return make_inconsistent(Kind::missing_check, "outcome.eager_died",
                             "Eager " + deed(*context.eager) + "; the compiled run needs its own process.");
  }
  if (is(context.compiled, OutcomeKind::ran) && context.compiled->graphs > 0) {
    return make_inconsistent(Kind::missing_check, "outcome.eager_died",
                             "Eager " + deed(*context.eager) + "; compiled code accepts the program.");
  }
  return make_verdict(VerdictKind::invalid, "outcome.eager_died", "Eager " + deed(*context.eager) + ".");
}

// ---- rules about both

Decision compiled_missing(const Context& context) {
  if (context.compiled != nullptr) return std::nullopt;
  return make_verdict(VerdictKind::unstable, "outcome.incomplete",
                      "There is no run of " + std::string(name(context.evidence.compiled)) + " to compare.");
}

Decision eager_repeats_otherwise(const Context& context) {
  const Outcome* const repeat = context.evidence.outcome(Mode::eager_repeat);
  if (repeat == nullptr || repeat->kind == context.eager->kind) return std::nullopt;
  return make_verdict(
      VerdictKind::unstable, "stability.eager_repeat",
      "Eager " + deed(*context.eager) + ", but in a second run with the same seed it " + deed(*repeat) + ".");
}

Decision both_raise(const Context& context) {
  if (!is(context.eager, OutcomeKind::raised) || !is(context.compiled, OutcomeKind::raised)) return std::nullopt;
  return make_verdict(VerdictKind::invalid, "outcome.both_raise",
                      "Both raise: eager " + error_text(*context.eager) + ".");
}

bool killed_from_outside(const Outcome* outcome) {
  return is(outcome, OutcomeKind::died) && (outcome->signal == kSignalKill || outcome->signal == kSignalTerminate);
}

/// A full disk, a missing compiler or the out-of-memory killer on either side.
Decision environment_fails(const Context& context) {
  for (const Outcome* const outcome : {context.eager, context.compiled}) {
    if (!matches(environment_failures(), outcome) && !killed_from_outside(outcome)) continue;
    return make_verdict(VerdictKind::excused, "outcome.environment",
                        std::string(outcome == context.eager ? "Eager " : "The compiled run ") + deed(*outcome) +
                            ": a problem of the machine, not of the program.");
  }
  return std::nullopt;
}

/// Both sides make inputs and model with the same plain Python: if only one fails there, the compiler is not to blame.
Decision sides_part_early(const Context& context) {
  if (!ended_early(*context.compiled)) return std::nullopt;
  return make_verdict(VerdictKind::unstable, "outcome.sides_part_early",
                      "Only the compiled side " + deed(*context.compiled) + ", in step " +
                          std::string(name(context.compiled->step)) + ", before anything is compiled.");
}

Decision compiled_dies(const Context& context) {
  if (!is(context.compiled, OutcomeKind::died)) return std::nullopt;
  return make_inconsistent(Kind::crash, "outcome.crash",
                           "The compiled program " + deed(*context.compiled) + ", eager " + deed(*context.eager) + ".");
}

Decision compiled_hangs(const Context& context) {
  if (!is(context.compiled, OutcomeKind::hung)) return std::nullopt;
  return make_inconsistent(Kind::hang, "outcome.hang",
                           "The compiled program " + deed(*context.compiled) + ", eager " + deed(*context.eager) + ".");
}

/// Both modes have a record, and exactly one of them raised.
bool part_ways(const Evidence& evidence, Mode one, Mode other) {
  const Outcome* const first = evidence.outcome(one);
  const Outcome* const second = evidence.outcome(other);
  if (first == nullptr || second == nullptr) return false;
  return is(first, OutcomeKind::raised) != is(second, OutcomeKind::raised);
}

/// Some draw of rounding noise makes eager end as the compiled program does.
bool noise_tips(const Context& context, const Outcome& raised) {
  const Outcome* const noise = context.evidence.outcome(Mode::eager_noise);
  if (noise == nullptr || is(noise, OutcomeKind::raised) == is(context.eager, OutcomeKind::raised)) return false;
  if (&raised == context.eager) return noise->kind == OutcomeKind::ran;
  return noise->error && (noise->error->inner_class == raised.error->inner_class || depends_on_values(*raised.error));
}

/// For the program's own check, or a nearly singular matrix, the last bit of a value decides which side raises, unless
/// the two sides still differ both under precision casts and in double.
Decision rounding_decides(const Context& context) {
  if (context.depth == Depth::cheap) return std::nullopt;
  const Outcome& raised = is(context.eager, OutcomeKind::raised) ? *context.eager : *context.compiled;
  if (raised.kind != OutcomeKind::raised || !raised.error) return std::nullopt;
  if (!noise_tips(context, raised)) {
    if (!depends_on_values(*raised.error)) return std::nullopt;
    if (is_own_check(*raised.error) && context.evidence.outcome(Mode::eager_noise) != nullptr) return std::nullopt;
    const bool stays = part_ways(context.evidence, Mode::eager, Mode::inductor_precise) &&
                       part_ways(context.evidence, Mode::reference, Mode::inductor_fp64);
    if (stays) return std::nullopt;
  }
  return make_verdict(VerdictKind::excused, "outcome.rounding_decides",
                      std::string(&raised == context.eager ? "Only eager " : "Only the compiled program ") +
                          deed(raised) + ", a check of values that rounding can change.");
}

/// Without its checkpoints eager raises the error of compiled code: the class and how the message begins.
bool ended_kept(const Context& context, const Outcome& otherwise) {
  if (!is(context.compiled, OutcomeKind::raised) || !context.compiled->error) return false;
  const ErrorReport& error = *context.compiled->error;
  return std::ranges::any_of(otherwise.observations, [&](const Observation& seen) {
    const std::string begins = error.inner_class + ": ";
    return seen.rule == "kept_otherwise" && seen.operator_name.starts_with(begins) &&
           error.message.find(seen.operator_name.substr(begins.size())) != std::string::npos;
  });
}

/// Eager ends as compiled code does when it is told that it is compiled, or when checkpoints compute nothing anew.
Decision chosen_otherwise(const Context& context) {
  const bool parted = is(context.eager, OutcomeKind::raised) != is(context.compiled, OutcomeKind::raised);
  const Outcome* const otherwise = context.evidence.outcome(Mode::eager_otherwise);
  if (!parted || otherwise == nullptr) return std::nullopt;
  const Outcome& raised = is(context.eager, OutcomeKind::raised) ? *context.eager : *context.compiled;
  const std::string wanted = &raised == context.eager || !raised.error ? "runs" : raised.error->inner_class;
  const bool told = std::ranges::any_of(otherwise->observations, [&](const Observation& seen) {
    return seen.rule == "told_otherwise" && seen.operator_name == wanted;
  });
  const std::string begins =
      std::string(&raised == context.eager ? "Only eager " : "Only the compiled program ") + deed(raised);
  if (told) {
    return make_verdict(
        VerdictKind::excused, "documented.asks_if_compiled",
        begins + ", and eager does the same as compiled code if torch.compiler.is_compiling() returns True.");
  }
  if (ended_kept(context, *otherwise)) {
    return make_verdict(VerdictKind::excused, "documented.checkpoint",
                        begins + ", and eager does the same as compiled code without its checkpoint.");
  }
  return std::nullopt;
}

/// Nothing reads the result of the operator that raises: the compiler may drop it together with its error.
Decision dead_code(const Context& context) {
  if (!is(context.eager, OutcomeKind::raised) || !is(context.compiled, OutcomeKind::ran)) return std::nullopt;
  if (!context.eager->error || !context.eager->error->dead) return std::nullopt;
  return make_verdict(VerdictKind::excused, "outcome.dead_code",
                      "Only eager " + deed(*context.eager) + ", in dead code (line " +
                          std::to_string(context.eager->error->user_line) + "), which the compiler removes.");
}

Decision missing_check(const Context& context) {
  if (!is(context.eager, OutcomeKind::raised) || !is(context.compiled, OutcomeKind::ran)) return std::nullopt;
  if (context.compiled->graphs == 0) {
    return make_verdict(VerdictKind::excused, "not_compiled",
                        "Eager " + deed(*context.eager) + "; the compiled mode runs, but it compiled no graph.");
  }
  return make_inconsistent(Kind::missing_check, "outcome.missing_check",
                           "Eager " + deed(*context.eager) + " in " + std::string(name(context.eager->step)) +
                               "; compiled code accepts the program.");
}

Decision declared_refusal(const Context& context) {
  if (!is(context.compiled, OutcomeKind::raised) || !context.compiled->error) return std::nullopt;
  const ErrorPattern* const refusal = match(declared_refusals(), *context.compiled->error);
  if (refusal == nullptr) return std::nullopt;
  return make_verdict(VerdictKind::excused, "documented." + std::string(refusal->name),
                      "The compiler rejects the program (" + std::string(refusal->name) + ", " +
                          std::string(refusal->source) + "): " + error_text(*context.compiled) + ".");
}

Decision compiled_raises(const Context& context) {
  if (!is(context.compiled, OutcomeKind::raised)) return std::nullopt;
  return make_inconsistent(Kind::behaviour, "outcome.compiled_raises",
                           "Eager runs; the compiled program " + deed(*context.compiled) + " in step " +
                               std::string(name(context.compiled->step)) + ".");
}

using Rule = Decision (*)(const Context&);

constexpr std::array<Rule, 18> kInOrder{
    hangs_by_itself,  eager_missing,    eager_ends_early,  eager_unmeasurable,      dead_code,        eager_dies,
    compiled_missing, both_raise,       environment_fails, eager_repeats_otherwise, sides_part_early, compiled_dies,
    compiled_hangs,   chosen_otherwise, declared_refusal,  rounding_decides,        missing_check,    compiled_raises,
};

}  // namespace

std::optional<Verdict> judge_outcomes(const Evidence& evidence, const Judging& judging) {
  const Context context{evidence, evidence.outcome(Mode::eager), evidence.outcome(evidence.compiled), judging.depth};
  for (const Rule rule : kInOrder) {
    auto decided = rule(context);
    if (!decided) continue;
    if (decided->verdict != VerdictKind::excused || judging.allows(decided->rule)) return decided;
  }
  return std::nullopt;
}

}  // namespace parityd::oracle::rules
