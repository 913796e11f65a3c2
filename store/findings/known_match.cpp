// Which known issues a finding may be: each issue is scored by what it has in common with the finding.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "oracle/finding/side.h"
#include "oracle/json_read.h"
#include "oracle/rules/message.h"
#include "oracle/rules/signature.h"
#include "store/base/operator_names.h"
#include "store/base/text.h"
#include "store/findings/findings.h"
#include "store/findings/known_issues.h"

namespace parityd::store {
namespace {

using oracle::Kind;

constexpr int kLostCheck = 197554;
constexpr int kLostDtypeCheck = 198155;
constexpr int kEagerOutOfBounds = 195547;
constexpr std::string_view kNotImplemented = "not implemented for '";
constexpr std::string_view kHandler = "except";  // replaces the operators in issues about errors that programs catch
constexpr std::size_t kMost = 3;
constexpr double kLeastScore = 4.0;
constexpr double kFarBehind = 3.0;      // matches whose score is this far below the best are not shown
constexpr double kUmbrellaScore = 100;  // above all others
constexpr double kCommonWeight = 0.2;   // of an operator that nearly every program has

/// Causes shared by many programs: common operators alone do not make such an issue the finding's.
constexpr std::array<std::string_view, 6> kVague{"rounding", "random",          "special_function",
                                                 "layout",   "ill_conditioned", "reduction"};

/// Kinds that can have the same cause.
bool related(Kind left, Kind right) {
  const auto unchecked = [](Kind kind) { return kind == Kind::missing_check || kind == Kind::crash; };
  return (oracle::results_differ(left) && oracle::results_differ(right)) ||
         (oracle::fails(left) && oracle::fails(right)) || (unchecked(left) && unchecked(right));
}

/// The class of dtypes that the trait names; empty if none.
std::string_view dtype_of_trait(std::string_view trait) {
  if (trait.starts_with("complex")) return "complex";
  if (trait.starts_with("integer_")) return "integer";
  if (trait == "precision_casts") return "low_precision";
  return "";
}

/// Whether the title names dtypes, and none of the finding's class. A leaf's dtype may follow from another one inside
/// the program, so this only counts against an issue.
bool names_other_dtype(const std::string& title, std::string_view dtype_class) {
  static const std::array<std::pair<re2::RE2, std::string_view>, 4> kNamed{
      {{R"(\bbool\b)", "bool"},
       {R"(\bu?int(8|16|32|64)\b|\bintegers?\b)", "integer"},
       {R"(\bcomplex\b)", "complex"},
       {R"(\bb?float16\b|\bhalf precision\b|\blow precision\b)", "low_precision"}}};
  bool any = false;
  for (const auto& [words, named] : kNamed) {
    if (!re2::RE2::PartialMatch(title, words)) continue;
    if (named == dtype_class) return false;
    any = true;
  }
  return any && !dtype_class.empty();
}

constexpr std::string_view kRandom = "random";

/// Whether a graph draws random numbers, by the families of its operators.
bool draws(const std::set<std::string>& captured) {
  static const re2::RE2 kDrawing(
      R"(rand|dropout|bernoulli|multinomial|normal|uniform|exponential|poisson|philox|seed)");
  return std::ranges::any_of(captured, [](const std::string& name) { return re2::RE2::PartialMatch(name, kDrawing); });
}

struct Operators {
  std::set<std::string> all;
  double weight = 0;
};

/// What a finding is about: the operators of the captured graphs, and the names that the program calls.
struct Asked {
  Operators captured, called;
};

double weight_of(const std::string& family) { return is_common_operator(family) ? kCommonWeight : 1.0; }

Operators families(const std::vector<std::string>& names) {
  Operators found;
  for (const std::string& name : names) {
    const std::string family = operator_family(name);
    if (!family.empty() && found.all.insert(family).second) found.weight += weight_of(family);
  }
  return found;
}

/// Whether a message contains an operator's name as a word. Short names are ignored: they are words of any message.
bool names(const std::string& message, const std::string& name) {
  constexpr std::size_t kShortest = 8;
  if (name.size() < kShortest) return false;
  for (auto at = message.find(name); at != std::string::npos; at = message.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !in_name(message[at - 1])) && (end == message.size() || !in_name(message[end]))) return true;
  }
  return false;
}

/// What finding and issue have in common.
struct Common {
  std::vector<std::string> operators;
  double of_issue = 0, of_finding = 0;  // shares of their operators, by weight
  bool telling = false;                 // at least one operator that few programs have
  bool buried = false;                  // all those only occur in decompositions of what the program calls
  bool named = false;                   // the error message names such an operator of the issue
  bool error = false;
  bool idle = false;  // its cause is the drawing of random numbers, and the finding draws none
};

Common common_of(const KnownQuery& query, const Asked& asked, const KnownIssue& issue) {
  Common common;
  const Operators known = families(issue.operators);
  double weight = 0, captured = 0, called = 0;
  bool called_itself = false;
  for (const std::string& family : known.all) {
    const bool in_graph = asked.captured.all.contains(family);
    const bool in_text = asked.called.all.contains(family);
    if (!in_graph && !in_text) continue;
    common.operators.push_back(family);
    common.telling = common.telling || !is_common_operator(family);
    called_itself = called_itself || (in_text && !is_common_operator(family));
    weight += weight_of(family);
    captured += in_graph ? weight_of(family) : 0;
    called += in_text ? weight_of(family) : 0;
  }
  common.of_issue = known.weight > 0 ? weight / known.weight : 0;
  if (captured > 0) common.of_finding = captured / asked.captured.weight;
  if (called > 0) common.of_finding = std::max(common.of_finding, called / asked.called.weight);
  common.buried = common.telling && !called_itself && !std::ranges::all_of(asked.called.all, is_common_operator);
  common.named = std::ranges::any_of(issue.operators, [&](const std::string& name) {
    return !is_common_operator(operator_family(name)) && names(query.message, name);
  });
  common.idle = issue.trait == kRandom && !asked.captured.all.empty() && !draws(asked.captured.all);
  common.error = !issue.error.empty() && query.message.find(issue.error) != std::string::npos;
  return common;
}

bool device_fits(const KnownQuery& query, const KnownIssue& issue) {
  return issue.device == "any" || issue.device == query.device;
}

bool dtype_fits(const KnownQuery& query, const KnownIssue& issue) {
  const std::string_view wanted = dtype_of_trait(issue.trait);
  return wanted.empty() || query.dtype_class.empty() || wanted == query.dtype_class;
}

/// The result of the last of several casts can have any dtype.
bool is_about_casts(const KnownIssue& issue) { return issue.operators == std::vector<std::string>{"_to_copy"}; }

double score_of(const KnownQuery& query, const KnownIssue& issue, const Common& common) {
  constexpr double kHalf = 0.5;
  const bool typed = !dtype_of_trait(issue.trait).empty() && dtype_of_trait(issue.trait) == query.dtype_class;
  const bool alike = !common.operators.empty() && (common.telling || typed || common.of_finding >= kHalf);
  if (!common.error && !common.named && !alike) return 0;
  double score = query.kind == issue.kind ? 3 : related(query.kind, issue.kind) ? 1 : -3;
  score += 2 * common.of_issue + 3 * common.of_finding;
  score += common.error ? 3 : !issue.error.empty() && !query.message.empty() ? -1.5 : 0;
  score += common.named && !common.error ? 1.5 : 0;
  score += query.stage == issue.stage ? 0.5 : 0;  // another torch may show it in another stage
  score += device_fits(query, issue) ? 0 : -3;
  score -= common.buried && !common.error && !common.named ? 4 : 0;
  score -= common.idle ? 3 : 0;
  score -= names_other_dtype(issue.title, query.dtype_class) ? 1 : 0;
  score += typed ? 1 : dtype_fits(query, issue) || is_about_casts(issue) ? 0 : -3;
  return score;
}

/// Traits that say what of the metadata differs.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kDiffers{
    {{"type_promotion", "dtype"}, {"requires_grad", "requires_grad"}, {"aliasing", "aliasing"}, {"stride", "stride"}}};
bool differs_alike(const KnownQuery& query, const KnownIssue& issue) {
  const auto* const told = std::ranges::find(kDiffers, issue.trait, &decltype(kDiffers)::value_type::first);
  return told == kDiffers.end() || query.differs.empty() || told->second == query.differs;
}

/// Traits that need a setting, and what names it in OPTIONS.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kSettings{
    {{"max_autotune", "max_autotune"}, {"max_autotune", "max-autotune"}, {"freezing", "freezing"}}};
bool settings_fit(const KnownQuery& query, const KnownIssue& issue) {
  const auto needs = [&](const auto& each) { return each.first == issue.trait; };
  return !query.options || std::ranges::none_of(kSettings, needs) ||
         std::ranges::any_of(kSettings, [&](const auto& each) {
           return needs(each) && query.options->find(each.second) != std::string::npos;
         });
}

bool is_confident(const KnownQuery& query, const KnownIssue& issue, const Common& common) {
  constexpr double kMostly = 0.6;
  const bool vague = std::find(kVague.begin(), kVague.end(), issue.trait) != kVague.end();
  const bool mute = query.kind == Kind::crash || query.kind == Kind::hang;  // nothing else distinguishes them
  const bool error_fits = common.error || (issue.error.empty() && !mute);
  return query.kind == issue.kind && query.stage == issue.stage && device_fits(query, issue) &&
         dtype_fits(query, issue) && differs_alike(query, issue) && settings_fit(query, issue) && error_fits &&
         !vague && common.telling && common.of_issue >= kMostly && common.of_finding >= 1 - kCommonWeight;
}

std::string reason_of(const KnownQuery& query, const KnownIssue& issue, const Common& common) {
  std::vector<std::string> parts;
  parts.push_back(query.kind == issue.kind
                      ? fmt::format("the same kind ({})", oracle::name(query.kind))
                      : fmt::format("{} there, {} here", oracle::name(issue.kind), oracle::name(query.kind)));
  if (query.stage == issue.stage) parts.push_back(fmt::format("the same stage ({})", oracle::name(query.stage)));
  if (!common.operators.empty()) parts.push_back(fmt::format("about {}", fmt::join(common.operators, ", ")));
  if (common.named) parts.emplace_back("the message mentions one of its operators");
  if (common.error) parts.push_back(fmt::format("the message contains \"{}\"", issue.error));
  if (!device_fits(query, issue)) parts.push_back(fmt::format("but on {}", issue.device));
  if (!issue.trait.empty()) {
    std::string trait = issue.trait;
    std::replace(trait.begin(), trait.end(), '_', ' ');
    parts.push_back("its cause there: " + trait);
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

struct Weighed {
  double score = 0;
  KnownMatch match;
};

/// The tracking issue to which this class of findings belongs by definition.
std::optional<Weighed> umbrella_of(const KnownQuery& query, const KnownIssue& issue) {
  const auto weighed = [&](const char* reason) {
    return Weighed{kUmbrellaScore, {.issue = issue.number, .state = issue.state, .confident = true, .reason = reason}};
  };
  const bool lost = query.kind == Kind::missing_check;
  const bool lost_dtype = lost && query.message.find(kNotImplemented) != std::string::npos;
  if (issue.number == kLostDtypeCheck && lost_dtype) {
    return weighed("it tracks pairs of operator and dtype that eager does not implement and compiled code accepts");
  }
  if (issue.number == kLostCheck && lost && !query.eager_wrong) {
    Weighed found = weighed("it tracks eager's checks that are missing in compiled code");
    found.match.confident = !lost_dtype;
    found.score += lost_dtype ? 0 : 1;
    return found;
  }
  if (issue.number == kEagerOutOfBounds && query.eager_wrong && (lost || query.kind == Kind::crash)) {
    Weighed found = weighed("it tracks missing shape checks that make eager itself access memory out of bounds");
    found.match.confident = false;
    return found;
  }
  return std::nullopt;
}

/// What of the metadata of the verdict's first leaf differs.
std::string what_differs(const oracle::Verdict& verdict, const oracle::Evidence& evidence) {
  const auto* const measured = evidence.measurement(oracle::Mode::eager, evidence.compiled);
  const auto* const leaf = verdict.kind == Kind::metadata && measured != nullptr && !verdict.leaves.empty()
                               ? measured->find(verdict.leaves[0])
                               : nullptr;
  if (leaf == nullptr) return {};
  return leaf->dtype_differs           ? "dtype"
         : leaf->shape_differs         ? "shape"
         : leaf->requires_grad_differs ? "requires_grad"
         : leaf->alias_differs         ? "aliasing"
         : leaf->stride_differs        ? "stride"
                                       : "";
}

std::string options_of(const std::string& program) {
  const auto at = program.find("OPTIONS = ");
  return at == std::string::npos ? std::string() : program.substr(at, program.find("\n\n", at) - at);
}

}  // namespace

KnownQuery known_query(const oracle::Shown& shown, const FindingRow& finding) {
  const auto& [verdict, evidence, stage] = shown;
  KnownQuery query{.kind = verdict.kind.value_or(Kind::numerical),
                   .stage = stage,
                   .called = called_names(finding.reduced),
                   .device = finding.device};
  const oracle::Outcome* const eager = evidence.outcome(oracle::Mode::eager);
  const oracle::Outcome* const compiled = evidence.outcome(evidence.compiled);
  if (compiled != nullptr) query.operators = compiled->operators;
  if (oracle::tells_of_caught_error(finding.signature)) {
    query.operators = {std::string(kHandler)};  // any operator's error may cause it
    query.called.clear();
  }
  const oracle::Outcome* const failed = query.kind == Kind::missing_check ? eager : compiled;
  if (failed != nullptr && failed->error) {
    const auto& error = *failed->error;  // the message of an assertion often holds only its place
    query.message = error.inner_class + ": " + oracle::without_triton_source(error.message);
    query.message += error.compiler_frame.empty() ? "" : " in " + error.compiler_frame;
  } else if (failed != nullptr && failed->signal == SIGFPE) {
    query.message = "SIGFPE";
  }
  query.dtype_class = oracle::dtype_class_of(verdict, evidence);
  query.eager_wrong = oracle::side_of(verdict, evidence).side == oracle::Side::eager;
  query.differs = what_differs(verdict, evidence);
  query.options = options_of(finding.reduced);
  return query;
}

std::string known_query_text(const KnownQuery& query) {
  nlohmann::json json{{"kind", oracle::name(query.kind)}, {"stage", oracle::name(query.stage)},
                      {"operators", query.operators},     {"called", query.called},
                      {"device", query.device},           {"message", query.message},
                      {"dtype_class", query.dtype_class}, {"eager_wrong", query.eager_wrong},
                      {"differs", query.differs}};
  if (query.options) json["options"] = *query.options;
  return oracle::compact(json);
}

KnownQuery known_query_from_text(const std::string& text) {
  const auto json = nlohmann::json::parse(text);
  return {
      .kind = oracle::from_name<oracle::Kind>(json.at("kind").get<std::string>()).value_or(Kind::numerical),
      .stage = oracle::from_name<oracle::Stage>(json.at("stage").get<std::string>()).value_or(oracle::Stage::inductor),
      .operators = json.at("operators").get<std::vector<std::string>>(),
      .called = json.at("called").get<std::vector<std::string>>(),
      .device = json.at("device").get<std::string>(),
      .message = json.at("message").get<std::string>(),
      .dtype_class = json.at("dtype_class").get<std::string>(),
      .eager_wrong = json.at("eager_wrong").get<bool>(),
      .differs = json.value("differs", ""),
      .options = json.contains("options") ? std::optional(json["options"].get<std::string>()) : std::nullopt};
}

std::vector<KnownMatch> match_known(const KnownQuery& query, const std::vector<KnownIssue>& issues) {
  const Asked asked{families(query.operators), families(query.called)};
  std::vector<Weighed> found;
  for (const KnownIssue& issue : issues) {
    if (issue.trait == kUmbrellaTrait) {
      if (auto umbrella = umbrella_of(query, issue)) found.push_back(std::move(*umbrella));
      continue;
    }
    const Common common = common_of(query, asked, issue);
    const double score = score_of(query, issue, common);
    if (score < kLeastScore) continue;
    found.push_back({score,
                     {.issue = issue.number,
                      .state = issue.state,
                      .confident = is_confident(query, issue, common),
                      .reason = reason_of(query, issue, common)}});
  }
  std::stable_sort(found.begin(), found.end(), [](const Weighed& left, const Weighed& right) {
    return left.score != right.score ? left.score > right.score : left.match.issue > right.match.issue;
  });
  const auto likeliest = std::ranges::find_if(found, [](const Weighed& one) { return one.score < kUmbrellaScore; });
  std::vector<KnownMatch> matches;
  for (const Weighed& one : found) {
    if (matches.size() == kMost || (likeliest != found.end() && one.score < likeliest->score - kFarBehind)) break;
    matches.push_back(one.match);
  }
  return matches;
}

}  // namespace parityd::store
