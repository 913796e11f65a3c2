#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "oracle/device.h"
#include "oracle/json_read.h"
#include "oracle/rules/message.h"
#include "oracle/rules/neutraliser.h"
#include "oracle/rules/signature.h"
#include "store/base/operator_names.h"
#include "store/base/text.h"
#include "store/report/draft_parts.h"
#include "store/report/draws_repro.h"
#include "store/report/shown_values.h"

namespace parityd::store {
namespace {

using oracle::Kind;

constexpr std::size_t kTitleLimit = 120;
constexpr std::string_view kCaught = "past the program's except: ";

std::vector<oracle::Neutraliser> neutralisers(const DraftFacts& facts) {
  const std::string line = facts.attribution ? facts.attribution->neutraliser : "";
  return oracle::neutralisers_from_line(line).value_or(std::vector<oracle::Neutraliser>{});
}

/// Backward reads an input after forward has written it.
bool reads_written_input(const DraftFacts& facts) {
  const auto held = neutralisers(facts);
  return held.size() == 1 && held.front().name == oracle::kWrittenInputs;
}

std::string_view prefix(const DraftFacts& facts) {
  const auto is_partition = [](const auto& one) { return one.kind == oracle::NeutraliserKind::partition; };
  if (std::ranges::any_of(neutralisers(facts), is_partition)) return "[partitioner]";
  // In the order of the enumeration.
  constexpr std::array kOfStage{"[dynamo]", "[aotautograd]", "[decomposition]", "[inductor]"};
  constexpr std::array kOfExported{"[export]", "[export]", "[export]", "[aotinductor]"};
  static_assert(kOfStage.size() == names(oracle::Stage{}).size() && kOfExported.size() == kOfStage.size());
  const auto stage = static_cast<std::size_t>(facts.finding.stage);
  return is_exported(facts) ? kOfExported.at(stage) : kOfStage.at(stage);
}

const oracle::Outcome* outcome_of(const DraftFacts& facts, bool compiled) {
  const EvidenceRow* round = shown_round(facts);
  if (round == nullptr) return nullptr;
  return round->evidence.outcome(compiled ? round->evidence.compiled : oracle::Mode::eager);
}

using Names = std::vector<std::string>;

void add_once(Names& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// The operators whose eager kernels make it vanish, or whose check is missing; empty if unknown.
Names blamed_operators(const DraftFacts& facts) {
  using oracle::NeutraliserKind;
  Names names;
  for (const auto& part : neutralisers(facts)) {
    const bool is_operator = part.kind == NeutraliserKind::lowering || part.kind == NeutraliserKind::decomposition;
    if (is_operator) add_once(names, plain_operator(part.name));
  }
  const auto* const eager = outcome_of(facts, false);
  const bool lost_check = facts.finding.kind == Kind::missing_check && eager != nullptr && eager->error;
  // "call" means that the called object is unknown.
  if (names.empty() && lost_check && !eager->error->user_operator.empty() && eager->error->user_operator != "call") {
    names.push_back(eager->error->user_operator);
  }
  return names;
}

/// The operators of the graph, without those in nearly every graph if there are others.
Names captured_operators(const DraftFacts& facts) {
  const auto* const outcome = outcome_of(facts, true);
  Names telling, common;
  for (const auto& name : outcome != nullptr ? outcome->operators : Names{}) {
    const std::string brief = brief_operator(name);
    add_once(is_common_operator(brief) ? common : telling, brief);
  }
  return telling.empty() ? common : telling;
}

/// If Dynamo raised before there was a graph, only the operator that it could not call can be named.
std::string without_graph(const oracle::Outcome* compiled) {
  const auto fake = compiled != nullptr && compiled->error ? oracle::fake_call(compiled->error->message) : std::nullopt;
  return fake ? fake->called : "compiled program";
}

constexpr std::size_t kMost = 3;  // operators in a title

/// Operators that programs write as signs or as indexing.
bool is_sign(const std::string& plain) {
  constexpr std::array<std::string_view, 16> kSigns{
      "add",  "sub",    "mul",   "div",           "floor_divide",   "remainder", "pow",       "neg",
      "copy", "select", "slice", "slice_scatter", "select_scatter", "index",     "index_put", "setitem"};
  return std::ranges::find(kSigns, plain) != kSigns.end();
}

bool names_variant(const Names& names, const std::string& name) {
  return std::ranges::any_of(names, [&](const auto& each) { return operator_family(each) == operator_family(name); });
}

/// The operators among what the program calls, as people will search for them; without the common ones if they are
/// many.
Names called_operators(const DraftFacts& facts) {
  const std::string& program = facts.finding.reduced;
  const auto* const outcome = outcome_of(facts, true);
  const Names captured = outcome != nullptr ? outcome->operators : Names{};
  Names called = called_names(program);
  std::erase_if(called, [&](const std::string& name) {
    const bool written = program.find(name + "(") != std::string::npos;
    return !written || (documented_operator(name) == nullptr && !names_variant(captured, name));
  });
  if (called.size() <= kMost) return called;
  const Names all = called;
  std::erase_if(called, is_common_operator);
  return called.empty() ? all : called;
}

/// Operators to blame, in the program's own words if it calls something else that contains them.
Names title_operators(const DraftFacts& facts) {
  Names blamed = blamed_operators(facts);
  Names called = called_operators(facts);
  const auto is_plain = [&](const std::string& name) { return names_variant(called, name) || is_sign(name); };
  if (!blamed.empty() && (called.empty() || std::ranges::any_of(blamed, is_plain))) return blamed;
  return called.empty() ? captured_operators(facts) : called;
}

std::string operators(const DraftFacts& facts) {
  const Names chosen = title_operators(facts);
  if (chosen.empty()) return without_graph(outcome_of(facts, true));
  std::string text;
  for (std::size_t index = 0; index < std::min(chosen.size(), kMost); ++index) {
    text += (index == 0 ? "" : ", ") + chosen[index];
  }
  return chosen.size() > kMost ? text + ", …" : text;
}

std::string raised(const oracle::Outcome* outcome) {
  if (outcome == nullptr || !outcome->error) return "an exception";
  return shortened(error_line(*outcome->error), 80);
}

/// "output.dtype: eager torch.int64, compiled torch.int32".
std::string metadata_words(const DraftFacts& facts) {
  const auto values = shown_values(facts, 1);
  const bool known = !values.empty() && !values.front().eager.empty() && !values.front().compiled.empty();
  if (!known) return "compiled output has different metadata than eager";
  return fmt::format("{}: eager {}, compiled {}", values.front().label, values.front().eager, values.front().compiled);
}

std::string metadata_sentence(const DraftFacts& facts) {
  constexpr std::array<std::pair<std::string_view, const char*>, 5> kDifferences{{
      {".dtype", "the same values as eager with a different dtype"},
      {".shape", "a different shape than eager"},
      {".stride()", "the same values as eager with different strides"},
      {".requires_grad", "the same values as eager with a different `requires_grad`"},
      {" (type)", "a different type than eager"},
  }};
  const auto values = shown_values(facts, 1);
  const std::string label = values.empty() ? "" : values.front().label;
  const auto found = std::ranges::find_if(kDifferences, [&](const auto& each) { return label.ends_with(each.first); });
  return fmt::format("The compiled program returns {}.",
                     found == kDifferences.end() ? "the same values as eager with different metadata" : found->second);
}

std::string symptom(const DraftFacts& facts) {
  std::string what = operators(facts);
  if (const auto drawn = drawn_number(facts)) return what + ": " + drawn_symptom(*drawn);
  switch (facts.finding.kind) {
    case Kind::behaviour:
      return fmt::format("{}: compiled raises {}{}", what,
                         oracle::tells_of_caught_error(facts.finding.signature) ? kCaught : "",
                         raised(outcome_of(facts, true)));
    case Kind::missing_check:
      return fmt::format("{}: compiled accepts what eager rejects ({})", what, raised(outcome_of(facts, false)));
    case Kind::numerical:
      if (oracle::tells_of_zero_sign(facts.finding.signature)) return what + ": the sign of a zero differs";
      return what + ": compiled output differs from eager";
    case Kind::metadata:
      return what + ": " + metadata_words(facts);
    case Kind::mutation:
      return what + ": inputs or buffers differ after the compiled run";
    case Kind::gradient:
      if (reads_written_input(facts))
        return "gradients differ: backward reads an input after forward wrote it in place";
      return what + ": compiled gradients differ from eager";
    case Kind::crash: {
      const auto* outcome = outcome_of(facts, true);
      return fmt::format(
          "{}: compiled code crashes{}", what,
          outcome != nullptr && outcome->signal > 0 ? fmt::format(" with signal {}", outcome->signal) : "");
    }
    case Kind::hang:
      return what + ": compiled code hangs";
  }
  return what;
}

}  // namespace

const EvidenceRow* shown_round(const DraftFacts& facts) {
  const auto found = std::find_if(facts.rounds.begin(), facts.rounds.end(),
                                  [&](const EvidenceRow& round) { return round.verdict.kind == facts.finding.kind; });
  return found == facts.rounds.end() ? nullptr : &*found;
}

int threads_of(const DraftFacts& facts) {
  const auto options = oracle::parsed_object(facts.options_json);
  const auto threads = options.find("threads");
  const bool said = threads != options.end() && threads->is_number_integer();
  return said && row(oracle::device_named(facts.finding.device)).threads ? threads->get<int>() : 1;
}

const oracle::ModeRow& mode_of(const DraftFacts& facts) {
  const auto options = oracle::parsed_object(facts.options_json);
  const auto mode = options.find("mode");
  const auto known = mode != options.end() && mode->is_string()
                         ? oracle::from_name<oracle::Mode>(mode->get<std::string>())
                         : std::nullopt;
  return oracle::row(known.value_or(oracle::Mode::inductor));
}

bool is_exported(const DraftFacts& facts) { return oracle::is_exported(mode_of(facts)); }

namespace {

/// A mode as users request it, after a comma; empty for defaults.
std::string asked(const oracle::ModeRow& mode) {
  if (!mode.compile_mode.empty()) return fmt::format(", mode={}", mode.compile_mode);
  std::string text = mode.dynamic ? ", dynamic=True" : "";
  if (!mode.words.empty()) text += fmt::format(", {}", mode.words);
  const auto settings = oracle::parsed_object(mode.settings);
  for (const auto& [setting, value] : settings.items()) {
    const std::string name = setting.substr(setting.find('.') + 1);
    text += ", " + name + (value == true ? "" : "=" + oracle::compact(value));
  }
  return text;
}

}  // namespace

std::string condition(const DraftFacts& facts) {
  std::string text(row(oracle::device_named(facts.finding.device)).words);
  const auto options = oracle::parsed_object(facts.options_json);
  for (const char* const option : {"dynamic", "fullgraph", "backward", "train", "grad"}) {
    const auto found = options.find(option);
    if (found == options.end() || !found->is_boolean() || !found->get<bool>()) continue;
    const bool argument = std::string_view(option) == "dynamic" || std::string_view(option) == "fullgraph";
    text += fmt::format(", {}{}", option, argument ? "=True" : "");
  }
  if (const std::string words = asked(mode_of(facts)); text.find(words) == std::string::npos) text += words;
  if (const int threads = threads_of(facts); threads > 1) text += fmt::format(", {} threads", threads);
  return text;
}

std::string trigger_sentence(const FindingRow& finding) {
  std::string text;
  if (finding.trigger == oracle::Trigger::ordinary) {
    text = "It also reproduces with ordinary random inputs and default settings.";
  } else if (finding.trigger == oracle::Trigger::config) {
    text = "It also reproduces with ordinary random inputs, but only with these settings.";
  } else if (finding.trigger == oracle::Trigger::edge) {
    text = "It does not reproduce with ordinary random inputs; it needs input values like those below.";
  }
  if (finding.side == oracle::Side::eager) {
    text += text.empty() ? "" : " ";
    text += "Eager appears to be the wrong side.";
  }
  return text;
}

std::string draft_title(const DraftFacts& facts) {
  const std::string start(prefix(facts));
  const std::string end = shortened(fmt::format(" ({})", condition(facts)), 50);
  const std::size_t room = kTitleLimit - characters(start) - 1 - characters(end);
  return start + " " + title_line(symptom(facts), room) + end;
}

std::string symptom_sentence(const DraftFacts& facts) {
  if (const auto drawn = drawn_number(facts)) {
    return fmt::format("With `fallback_random = False`, the default, {}. The compared quantity is the {}.",
                       drawn_symptom(*drawn), drawn_words(*drawn));
  }
  const Kind kind = facts.finding.kind;
  if (kind == Kind::behaviour && oracle::tells_of_caught_error(facts.finding.signature)) {
    return "Eager execution catches this error and continues; in the compiled program it escapes the `except` clause.";
  }
  if (kind == Kind::metadata) return metadata_sentence(facts);
  // In the order of the enumeration.
  constexpr auto kSentences = std::to_array<const char*>({
      "The program runs in eager mode and raises when compiled.",
      "Eager mode rejects the program; the compiled program runs.",
      "The compiled program returns different values than eager.",
      "",  // metadata_sentence()
      "The compiled program leaves its inputs, buffers or parameters in a different state than eager.",
      "The compiled program computes different gradients than eager.",
      "The program runs in eager mode; the compiled program crashes the process.",
      "The program finishes in eager mode; the compiled program does not finish.",
  });
  static_assert(kSentences.size() == names(Kind{}).size());
  return kSentences.at(static_cast<std::size_t>(kind));
}

}  // namespace parityd::store
