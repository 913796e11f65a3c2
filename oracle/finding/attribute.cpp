#include "oracle/finding/attribute.h"

#include <algorithm>

#include "oracle/finding/ablations.h"

namespace parityd::oracle {
namespace {

constexpr int kConfirming = 2;  // runs reserved for the end: the neutraliser again, and the control

using Set = std::vector<Neutraliser>;

Set joined(const Set& one, const Set& other) {
  Set both = one;
  for (const auto& neutraliser : other) {
    if (std::ranges::find(both, neutraliser) == both.end()) both.push_back(neutraliser);
  }
  return both;
}

bool is_one(const Set& set) { return set.size() == 1; }

/// What a user would have to write for the whole set.
std::optional<Workaround> workaround_of(const Set& set, const AttributionFacts& facts) {
  Workaround all;
  for (const auto& neutraliser : set) {
    const auto one = workaround(neutraliser, facts.torch, facts.program);
    if (!one) return std::nullopt;
    all.python += (all.python.empty() ? "" : "; ") + one->python;
    if (all.caveat.empty()) all.caveat = one->caveat;
  }
  return set.empty() ? std::nullopt : std::optional(all);
}

bool is_setting(const Set& set) {
  return std::ranges::all_of(set, [](const auto& one) {
    return one.kind == NeutraliserKind::config || one.kind == NeutraliserKind::pass_group;
  });
}

bool ends_alike(const Outcome& before, const Outcome& now) {
  if (before.kind != now.kind) return false;
  switch (now.kind) {
    case OutcomeKind::raised:
      return before.error && now.error && error_parts(*before.error) == error_parts(*now.error);
    case OutcomeKind::died:
      return death_parts(before) == death_parts(now);
    default:
      return true;
  }
}

bool is_off(const LeafMeasurement& leaf) { return leaf.values_differ() || leaf.metadata_differs(); }

/// Whether a leaf differs now that did not differ before.
bool has_other_differences(const Shown& symptom, const Evidence& ablated) {
  const Measurement* const now = ablated.measurement(Mode::eager, ablated.compiled);
  if (now == nullptr) return true;
  return std::any_of(now->leaves.begin(), now->leaves.end(), [&](const LeafMeasurement& leaf) {
    const LeafMeasurement* const before = symptom.evidence.leaf(Mode::eager, symptom.evidence.compiled, leaf.path);
    return is_off(leaf) && (before == nullptr || !is_off(*before));
  });
}

/// Whether compiled code now makes the check that eager makes; any other error comes from the ablation.
Answer answer_of_check(const Outcome& eager, const Outcome& now) {
  if (now.kind == OutcomeKind::ran) return Answer::stays;
  if (!eager.error || !now.error) return Answer::differs_otherwise;
  const std::string message = normalise_message(eager.error->message);
  const bool same = normalise_message(now.error->message).find(message) != std::string::npos ||
                    now.error->inner_class == eager.error->inner_class;
  return same ? Answer::vanishes : Answer::differs_otherwise;
}

Answer without_differences(const Shown& symptom, const Evidence& ablated) {
  return has_other_differences(symptom, ablated) ? Answer::differs_otherwise : Answer::vanishes;
}

}  // namespace

std::string words(Answer answer) {
  std::string text(name(answer));
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

Attribution::Attribution(AttributionFacts facts, int most_runs) : facts_(std::move(facts)), most_runs_(most_runs) {
  decide();
}

std::vector<Ablation> Attribution::next() {
  std::vector<Ablation> all;
  for (auto& [key, ablation] : wanted_) {
    running_[ablation.number] = key;
    all.push_back(ablation);
  }
  wanted_.clear();
  std::ranges::sort(all, {}, &Ablation::number);
  return all;
}

void Attribution::on_answer(int number, Answer answer, const std::vector<std::string>& untried) {
  const auto found = running_.find(number);
  if (found == running_.end() || done()) return;
  unknown_.insert(untried.begin(), untried.end());
  answers_[found->second] = answer;
  tried_.push_back({sets_.at(number), answer});
  running_.erase(found);
  decide();
}

Attribution::Reply Attribution::ask(const Set& set, int repeat, bool reserved) {
  const std::string key = line(set) + "#" + std::to_string(repeat);
  if (const auto answer = answers_.find(key); answer != answers_.end()) return {.answer = answer->second};
  const bool coming =
      wanted_.contains(key) || std::ranges::any_of(running_, [&](const auto& entry) { return entry.second == key; });
  if (coming) return {};
  if (asked_ >= most_runs_ - (reserved ? 0 : kConfirming)) {
    cut_ = true;
    return {.refused = true};
  }
  ++asked_;
  wanted_[key] = {.number = asked_, .neutralisers = set};
  sets_[asked_] = set;
  return {};
}

bool Attribution::vanishes(const Set& set, Narrowed& narrowed) {
  const Reply reply = ask(set);
  narrowed.open |= !reply.answer && !reply.refused;
  narrowed.cut |= reply.refused;
  narrowed.inconclusive |= reply.answer == Answer::differs_otherwise;
  return reply.answer == Answer::vanishes;
}

/// The smallest part of `part` that, together with `held`, makes the finding vanish, provided that `part` and `held`
/// do. Both halves are asked at once.
Attribution::Set Attribution::least(const Set& part, const Set& held, Narrowed& narrowed) {
  if (part.size() <= 1 || narrowed.cut) return part;
  const auto middle = part.begin() + static_cast<std::ptrdiff_t>((part.size() + 1) / 2);
  const Set first(part.begin(), middle);
  const Set second(middle, part.end());
  Narrowed asked;
  const bool in_first = vanishes(joined(first, held), asked);
  const bool in_second = vanishes(joined(second, held), asked);
  narrowed.inconclusive |= asked.inconclusive;
  narrowed.open |= asked.open;
  if (asked.open && !in_first) return part;
  narrowed.alone &= !(in_first && in_second);
  if (in_first) return least(first, held, narrowed);
  if (in_second) return least(second, held, narrowed);
  if (asked.cut) {
    narrowed.cut = true;
    return part;
  }
  const Set of_first = least(first, joined(held, second), narrowed);
  if (narrowed.open) return part;
  const Set of_second = least(second, joined(held, of_first), narrowed);
  return joined(of_first, of_second);
}

Attribution::Set Attribution::known(Set set) const {
  std::erase_if(set, [&](const auto& one) { return unknown_.contains(one.name); });
  return set;
}

/// nullopt: the finding does not vanish with the family. If the whole family breaks something else, each half is tried
/// separately, down to quarters, so that one member that cannot be replaced does not hide the others.
std::optional<Attribution::Narrowed> Attribution::narrowed(const Set& family, int halvings) {
  if (family.empty()) return std::nullopt;
  const Reply reply = ask(family);
  if (!reply.answer && !reply.refused) return Narrowed{.open = true};
  if (reply.answer == Answer::vanishes) {
    Narrowed narrowed;
    narrowed.least = least(known(family), {}, narrowed);
    return narrowed;
  }
  if (reply.answer != Answer::differs_otherwise || is_one(family) || halvings == 0) return std::nullopt;
  const auto middle = family.begin() + static_cast<std::ptrdiff_t>((family.size() + 1) / 2);
  auto first = narrowed(Set(family.begin(), middle), halvings - 1);
  auto second = narrowed(Set(middle, family.end()), halvings - 1);
  auto& found = first ? first : second;
  if (found) found->inconclusive = true;
  if (found && second && &found != &second) found->open |= second->open;
  return found;
}

/// aot_eager has no table of decompositions, but uses those that the dispatcher applies while it traces.
bool Attribution::decomposes_first() const {
  return facts_.stage == Stage::aot_eager || facts_.stage == Stage::aot_eager_decomp_partition;
}

void Attribution::decide() {
  if (done()) return;
  const Reply control = ask({});
  if (!control.answer) return;
  if (*control.answer != Answer::stays) {
    return finish({.why = "the unchanged program does not reproduce it in a warm worker (" +
                          std::string(name(*control.answer)) + "), so nothing could be tried"});
  }
  const bool inductor = facts_.stage == Stage::inductor;
  const bool decomposes = decomposes_first();
  std::optional<Narrowed> lowering;
  std::optional<Narrowed> decomposition;
  if (inductor) lowering = narrowed(operator_family(NeutraliserKind::lowering, facts_.lowered));
  if (decomposes || (inductor && !lowering))
    decomposition = narrowed(operator_family(NeutraliserKind::decomposition, facts_.decomposed));
  std::vector<Narrowed> others;
  bool open = (lowering && lowering->open) || (decomposition && decomposition->open);
  for (const auto& family : setting_families(facts_)) {
    if (auto found = narrowed(family)) {
      open |= found->open;
      others.push_back(std::move(*found));
    }
  }
  if (!open && guilty_graph_known()) choose(lowering, decomposition, others);
}

/// False: an answer is still outstanding. Asked last, since it is least informative.
bool Attribution::guilty_graph_known() {
  if (facts_.stage != Stage::inductor || !facts_.backward) return true;
  const Set forward{{NeutraliserKind::graph, std::string(kForwardGraph)}};
  const Set backward{{NeutraliserKind::graph, std::string(kBackwardGraph)}};
  const Reply without_forward = ask(forward), without_backward = ask(backward);
  const auto open = [](const Reply& reply) { return !reply.answer && !reply.refused; };
  if (open(without_forward) || open(without_backward)) return false;
  const bool forward_hides = without_forward.answer == Answer::vanishes;
  if ((forward_hides ? without_backward : without_forward).answer != Answer::stays) return true;
  if (forward_hides) guilty_ = forward;
  if (without_backward.answer == Answer::vanishes) guilty_ = backward;
  return true;
}

void Attribution::choose(const std::optional<Narrowed>& lowering, const std::optional<Narrowed>& decomposition,
                         const std::vector<Narrowed>& others) {
  Attributed found;
  const auto take_first = [&](const Narrowed* candidate, bool fits, const char* why) {
    if (!found.neutraliser.empty() || candidate == nullptr || !fits) return;
    found.neutraliser = candidate->least;
    found.why = why;
    if (candidate->cut) found.why += ", but the limit of runs was reached before it could be narrowed further";
    if (candidate->inconclusive) found.why += "; other failures prevented further narrowing";
  };
  const Narrowed* const lowered = lowering ? &*lowering : nullptr;
  const Narrowed* const decomposed = decomposition ? &*decomposition : nullptr;
  const auto setting = std::ranges::find_if(others, [](const auto& other) { return is_one(other.least); });
  const Narrowed* const one_setting = setting == others.end() ? nullptr : &*setting;
  const Narrowed* const several = others.empty() ? nullptr : &others.front();
  const auto take_named = [&](std::string_view only, const char* why) {
    const auto named = std::ranges::find_if(
        others, [&](const auto& other) { return is_one(other.least) && other.least.front().name == only; });
    take_first(named == others.end() ? nullptr : &*named, true, why);
  };
  take_named(kWrittenInputs, "backward recomputes from an input that forward has already written in place");
  take_named("functorch.donated_buffer", "backward writes into a saved buffer that it reads again");
  take_first(decomposed, decomposed != nullptr && decomposes_first() && is_one(decomposed->least),
             "only this decomposition makes it vanish");
  take_first(lowered, lowered != nullptr && is_one(lowered->least) && lowered->alone,
             "only this lowering makes it vanish");
  take_first(one_setting, true, "the narrowest setting that makes it vanish");
  take_first(lowered, lowered != nullptr && is_one(lowered->least),
             "each of several lowerings alone makes it vanish: it needs more than one operator");
  take_first(decomposed, decomposed != nullptr && is_one(decomposed->least),
             "no lowering explains it; this decomposition makes it vanish");
  take_first(lowered, true, "it vanishes only when these are replaced together");
  take_first(decomposed, true, "it vanishes only when these are replaced together");
  take_first(several, true, "it vanishes only with these settings together");
  const std::string graph = guilty_.empty() ? "" : guilty_.front().name;
  if (!guilty_.empty() && !found.neutraliser.empty()) {
    found.why += "; it is in the " + graph +
                 " pass: it vanishes with eager kernels there and stays with eager kernels in the other";
  } else if (!guilty_.empty()) {
    found.neutraliser = guilty_;
    found.why = "no single part explains it, but it vanishes with eager kernels in the " + graph +
                " pass and stays with eager kernels in the other";
  }
  if (found.neutraliser.empty()) {
    found.why = cut_ ? "the limit of runs was reached before anything made it vanish"
                     : "nothing that was tried makes it vanish";
    return finish(std::move(found));
  }
  if (is_setting(found.neutraliser)) found.remedy = found.neutraliser;
  for (const auto& other : others) {
    if (found.remedy.empty() && workaround_of(other.least, facts_)) found.remedy = other.least;
  }
  if (found.remedy.empty()) found.remedy = found.neutraliser;
  confirm(std::move(found));
}

/// Repeats it together with the control: an answer that changes is not reliable.
void Attribution::confirm(Attributed found) {
  const Reply again = ask(found.neutraliser, 1, true);
  const Reply control = ask({}, 1, true);
  const bool open = (!again.answer && !again.refused) || (!control.answer && !control.refused);
  if (open) return;
  if (again.answer != Answer::vanishes || control.answer != Answer::stays) {
    const std::string what = text(found.neutraliser);
    return finish({.why = "not reproducible: in a second trial it " +
                          std::string(control.answer != Answer::stays ? "does not show in the unchanged program"
                                                                      : "does not vanish with " + what)});
  }
  finish(std::move(found));
}

void Attribution::finish(Attributed found) {
  found.workaround = workaround_of(found.remedy, facts_);
  if (!found.workaround) found.remedy.clear();
  found.tried = tried_;
  wanted_.clear();
  result_ = std::move(found);
}

Answer answer_of(const Shown& symptom, const Evidence& ablated) {
  const Outcome* const eager = ablated.outcome(Mode::eager);
  const Outcome* const now = ablated.outcome(ablated.compiled);
  const Outcome* const before = symptom.evidence.outcome(symptom.evidence.compiled);
  const Outcome* const eager_before = symptom.evidence.outcome(Mode::eager);
  if (now == nullptr || before == nullptr) return Answer::not_tried;
  if (eager == nullptr || eager_before == nullptr || eager->kind != eager_before->kind)
    return Answer::differs_otherwise;
  if (symptom.verdict.kind == Kind::missing_check) return answer_of_check(*eager, *now);
  if (before->kind != OutcomeKind::ran) {
    if (ends_alike(*before, *now)) return Answer::stays;
    return now->kind == OutcomeKind::ran ? without_differences(symptom, ablated) : Answer::differs_otherwise;
  }
  if (now->kind != OutcomeKind::ran) return Answer::differs_otherwise;
  return shows_alike(ablated, symptom.verdict, ablated.compiled) ? Answer::stays
                                                                 : without_differences(symptom, ablated);
}

}  // namespace parityd::oracle
