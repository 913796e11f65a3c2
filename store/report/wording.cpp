#include "store/report/wording.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "store/base/operator_names.h"
#include "store/base/text.h"
#include "store/report/documented.h"
#include "store/report/draft_parts.h"
#include "store/report/shown_values.h"

namespace parityd::store {
namespace {

constexpr std::size_t kProgramLimit = 6'000;  // characters
constexpr std::size_t kToldMessageLimit = 600;
constexpr std::size_t kWordedTitleLimit = 100;
constexpr std::size_t kSummaryLimit = 1'000;
constexpr int kMostSentences = 5;
constexpr std::size_t kMostToldValues = 3;

std::string capped(const std::string& text, std::size_t limit) { return shortened(clean_text(text), limit); }

nlohmann::json values_json(const DraftFacts& facts) {
  auto array = nlohmann::json::array();
  for (const ShownValue& value : shown_values(facts, kMostToldValues)) {
    array.push_back({{"place", value.label},
                     {"dtype", value.dtype},
                     {"eager", value.eager},
                     {"compiled", value.compiled},
                     {"eager_in_fp64", value.reference},
                     {"difference", value.detail}});
  }
  return array;
}

// ---- what a text says

struct Token {
  enum class Kind { number, name } kind;
  std::string text;
  bool code = false;  // within backticks
};

bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

/// Numbers as written ("2.5e-3", "2.13.0") and names ("aten.max.dim", "conv2d"), in order.
std::vector<Token> tokens_of(const std::string& text) {
  std::vector<Token> tokens;
  bool code = false;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '`') code = !code;
    if (!in_name(text[at])) {
      ++at;
      continue;
    }
    const bool number = is_digit(text[at]);
    std::size_t end = at;
    const auto goes_on = [&] {
      const bool exponent = number && (text[end] == '-' || text[end] == '+') && std::tolower(text[end - 1]) == 'e' &&
                            end + 1 < text.size() && is_digit(text[end + 1]);
      const bool dot = text[end] == '.' && end + 1 < text.size() && in_name(text[end + 1]);
      return in_name(text[end]) || exponent || dot;
    };
    while (end < text.size() && goes_on()) ++end;
    tokens.push_back({number ? Token::Kind::number : Token::Kind::name, text.substr(at, end - at), code});
    at = end;
  }
  return tokens;
}

std::string small(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return text;
}

/// What the facts hold: numbers by value, whatever else by its letters, parts of dotted names too.
struct Vocabulary {
  std::set<double> numbers;
  std::set<std::string> words;

  explicit Vocabulary(const std::string& facts) {
    for (const Token& token : tokens_of(facts)) {
      words.insert(small(token.text));
      if (token.kind == Token::Kind::number) numbers.insert(std::strtod(token.text.c_str(), nullptr));
      for (std::size_t start = 0; start < token.text.size();) {
        const std::size_t dot = std::min(token.text.find('.', start), token.text.size());
        words.insert(small(token.text.substr(start, dot - start)));
        start = dot + 1;
      }
    }
  }

  [[nodiscard]] bool has_number(const std::string& text) const {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return *end == '\0' ? numbers.contains(value) : words.contains(small(text));
  }
};

/// Numbers may be spelt.
constexpr std::array<std::pair<std::string_view, double>, 16> kSpelt{{{"zero", 0},
                                                                      {"two", 2},
                                                                      {"three", 3},
                                                                      {"four", 4},
                                                                      {"five", 5},
                                                                      {"six", 6},
                                                                      {"seven", 7},
                                                                      {"eight", 8},
                                                                      {"nine", 9},
                                                                      {"ten", 10},
                                                                      {"eleven", 11},
                                                                      {"twelve", 12},
                                                                      {"hundred", 100},
                                                                      {"thousand", 1000},
                                                                      {"million", 1e6},
                                                                      {"half", 0.5}}};
/// Operators whose names are words of any sentence.
constexpr std::array<std::string_view, 18> kEnglish{"add",   "clone",  "copy", "detach", "expand", "fold",
                                                    "full",  "index",  "log",  "max",    "mean",   "min",
                                                    "round", "select", "sort", "split",  "view",   "where"};

/// The first word that the facts do not bear out, with what is wrong with it; empty: all do.
std::string unfounded(const std::string& text, const Vocabulary& facts) {
  for (const Token& token : tokens_of(text)) {
    const std::string word = small(token.text);
    if (token.kind == Token::Kind::number) {
      if (!facts.has_number(token.text)) return fmt::format("the number {} is not among the facts", token.text);
      continue;
    }
    const auto* const spelt =
        std::find_if(kSpelt.begin(), kSpelt.end(), [&](const auto& entry) { return entry.first == word; });
    if (spelt != kSpelt.end() && !facts.numbers.contains(spelt->second)) {
      return fmt::format("the number {} is not among the facts", word);
    }
    const bool english = !token.code && std::find(kEnglish.begin(), kEnglish.end(), word) != kEnglish.end();
    const bool technical = token.code || word.find_first_of("_.0123456789") != std::string::npos ||
                           (!english && documented_operator(word) != nullptr);
    if (technical && !facts.words.contains(word)) return fmt::format("{} is not among the facts", token.text);
  }
  return "";
}

int sentences(const std::string& text) {
  int count = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool end = text[at] == '.' || text[at] == '!' || text[at] == '?';
    count += end && (at + 1 == text.size() || text[at + 1] == ' ') ? 1 : 0;
  }
  return text.empty() || std::string_view(".!?").find(text.back()) != std::string_view::npos ? count : count + 1;
}

std::string unfit(const std::string& text) {
  if (clean_line(text) != text) return "it holds line breaks or hidden characters";
  for (const char* const sign : {"://", "www.", "@", "#", "](", "<", "GH-"}) {
    if (text.find(sign) != std::string::npos)
      return fmt::format("it holds a link, a mention, a reference or markup ({})", sign);
  }
  return "";
}

}  // namespace

std::string wording_facts(const DraftFacts& facts) {
  const EvidenceRow* const round = shown_round(facts);
  nlohmann::json json{{"kind", oracle::name(facts.finding.kind)},
                      {"first_differing_stage", oracle::name(facts.finding.stage)},
                      {"condition", condition(facts)},
                      {"torch", facts.finding.torch},
                      {"what", capped(facts.finding.explanation, kToldMessageLimit)},
                      {"program", capped(facts.finding.reduced, kProgramLimit)},
                      {"values", values_json(facts)}};
  if (round != nullptr) {
    for (const auto& [key, mode] :
         {std::pair{"eager_raises", oracle::Mode::eager}, std::pair{"compiled_raises", round->evidence.compiled}}) {
      const auto* const outcome = round->evidence.outcome(mode);
      if (outcome != nullptr && outcome->error) json[key] = capped(error_line(*outcome->error), kToldMessageLimit);
    }
    const auto* const compiled = round->evidence.outcome(round->evidence.compiled);
    if (compiled != nullptr) json["operators"] = compiled->operators;
    if (compiled != nullptr && compiled->signal > 0) json["signal"] = compiled->signal;
  }
  if (facts.attribution && !facts.attribution->words.empty()) json["vanishes_with"] = facts.attribution->words;
  if (facts.attribution && !facts.attribution->workaround.empty()) json["workaround"] = facts.attribution->workaround;
  if (facts.extent) json["extent"] = *facts.extent;
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
}

tl::expected<Wording, std::string> checked_wording(const std::string& reply, const std::string& facts) {
  const std::size_t start = reply.find('{');
  const std::size_t end = reply.rfind('}');
  const auto json = start == std::string::npos || end == std::string::npos || end < start
                        ? nlohmann::json()
                        : nlohmann::json::parse(reply.substr(start, end - start + 1), nullptr, false);
  const auto text_of = [&](const char* key) {
    const auto found = json.is_object() ? json.find(key) : json.end();
    return json.is_object() && found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const Wording wording{.title = text_of("title"), .summary = text_of("summary")};
  if (wording.title.empty() || wording.summary.empty())
    return tl::unexpected(std::string("the reply is no JSON object with title and summary"));
  const Vocabulary vocabulary(facts);
  for (const auto& [what, text] : {std::pair{"title", &wording.title}, std::pair{"summary", &wording.summary}}) {
    std::string why = unfit(*text);
    if (why.empty()) why = unfounded(*text, vocabulary);
    if (!why.empty()) return tl::unexpected(fmt::format("the {}: {}", what, why));
  }
  if (characters(wording.title) > kWordedTitleLimit)
    return tl::unexpected(fmt::format("the title: longer than {} characters", kWordedTitleLimit));
  if (sentences(wording.summary) > kMostSentences || characters(wording.summary) > kSummaryLimit) {
    return tl::unexpected(
        fmt::format("the summary: more than {} sentences or {} characters", kMostSentences, kSummaryLimit));
  }
  return wording;
}

}  // namespace parityd::store
