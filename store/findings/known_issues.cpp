#include "store/findings/known_issues.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "oracle/json_read.h"
#include "store/base/text.h"

namespace parityd::store {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 10> kKeys{"number", "title", "state",  "operators", "trait",
                                                 "kind",   "stage", "device", "error",     "as_of"};

/// One line's fields; `mistake` names the first one that is wrong.
class Line {
 public:
  explicit Line(const json& object) : object_(object) {}

  std::string text(const char* key, bool required = true) {
    const auto found = object_.find(key);
    if (found == object_.end()) {
      if (required) complain(fmt::format("\"{}\" is missing", key));
      return {};
    }
    if (!found->is_string()) {
      complain(fmt::format("\"{}\" is not a string", key));
      return {};
    }
    return found->get<std::string>();
  }
  std::string word(const char* key, const std::vector<std::string_view>& allowed) {
    std::string value = text(key);
    if (mistake_.empty() && std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
      complain(fmt::format("\"{}\" is \"{}\"; expected {}", key, value, fmt::join(allowed, ", ")));
    }
    return value;
  }
  template <oracle::Named Enum>
  void named(const char* key, Enum& value) {
    const auto all = names(value);
    value = oracle::from_name<Enum>(word(key, {all.begin(), all.end()})).value_or(value);
  }
  int number(const char* key) {
    const auto found = object_.find(key);
    if (found != object_.end() && found->is_number_integer()) {
      const auto value = found->get<std::int64_t>();
      if (value > 0 && value < 100'000'000) return static_cast<int>(value);
    }
    complain(fmt::format("\"{}\" is not an issue number", key));
    return 0;
  }
  std::vector<std::string> texts(const char* key) {
    const auto found = object_.find(key);
    if (found != object_.end() && found->is_array() &&
        std::all_of(found->begin(), found->end(), [](const json& item) { return item.is_string(); })) {
      return found->get<std::vector<std::string>>();
    }
    complain(fmt::format("\"{}\" is not a list of strings", key));
    return {};
  }
  void no_other_keys() {
    for (const auto& [key, value] : object_.items()) {
      if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) complain(fmt::format("\"{}\" is unknown", key));
    }
  }
  [[nodiscard]] const std::string& mistake() const { return mistake_; }

 private:
  void complain(std::string what) {
    if (mistake_.empty()) mistake_ = std::move(what);
  }
  const json& object_;
  std::string mistake_;
};

KnownIssue issue_from(Line& line) {
  KnownIssue issue;
  issue.number = line.number("number");
  issue.title = line.text("title");
  issue.state = line.word("state", {"open", "closed", "unknown"});
  issue.operators = line.texts("operators");
  issue.trait = line.text("trait");
  line.named("kind", issue.kind);
  line.named("stage", issue.stage);
  issue.device = line.word("device", {"cpu", "cuda", "any"});
  issue.error = line.text("error", false);
  line.no_other_keys();
  return issue;
}

/// "2026-11-21" as Unix milliseconds, the start of that day.
std::optional<std::int64_t> day(const std::string& text) {
  int year = 0;
  unsigned month = 0, date = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%4d-%2u-%2u%c", &year, &month, &date, &rest) != 3) return std::nullopt;
  const std::chrono::year_month_day found{std::chrono::year(year), std::chrono::month(month), std::chrono::day(date)};
  if (!found.ok()) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::sys_days(found).time_since_epoch()).count();
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Adds one line to `file`; returns what is wrong with it, or nothing.
std::string take_line(std::string_view text, KnownFile& file, std::set<int>& seen) {
  const json object = oracle::parsed(text);
  if (!object.is_object()) return "is not a JSON object";
  Line line(object);
  if (object.contains("as_of")) {
    file.as_of = day(line.text("as_of"));
    return file.as_of ? std::string() : "\"as_of\" is not a date such as 2026-11-21";
  }
  KnownIssue issue = issue_from(line);
  if (!line.mistake().empty()) return line.mistake();
  if (!seen.insert(issue.number).second) return fmt::format("issue {} is a duplicate", issue.number);
  file.issues.push_back(std::move(issue));
  return {};
}

/// torch's aliases of dtypes.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kAliases{{{"half", "float16"},
                                                                                  {"float", "float32"},
                                                                                  {"double", "float64"},
                                                                                  {"short", "int16"},
                                                                                  {"int", "int32"},
                                                                                  {"long", "int64"},
                                                                                  {"char", "int8"},
                                                                                  {"byte", "uint8"},
                                                                                  {"chalf", "complex32"},
                                                                                  {"cfloat", "complex64"},
                                                                                  {"cdouble", "complex128"}}};

/// torch's own name; empty if it is not a dtype.
std::string_view dtype_called(std::string_view name) {
  const auto* const alias =
      std::find_if(kAliases.begin(), kAliases.end(), [&](const auto& entry) { return entry.first == name; });
  if (alias != kAliases.end()) return alias->second;
  return oracle::from_name<oracle::Dtype>(name) ? name : std::string_view();
}

/// Both "torch.int8" and ".half()" name a dtype.
void add_named(std::set<std::string>& found, std::string_view program) {
  for (std::size_t dot = program.find('.'); dot != std::string_view::npos; dot = program.find('.', dot + 1)) {
    std::size_t end = dot + 1;
    while (end < program.size() && in_name(program[end])) ++end;
    const std::string_view dtype = dtype_called(program.substr(dot + 1, end - dot - 1));
    const bool of_torch = program.substr(0, dot).ends_with("torch");
    const bool called = end < program.size() && program[end] == '(';
    if (!dtype.empty() && (of_torch || called)) found.emplace(dtype);
  }
}

}  // namespace

tl::expected<KnownFile, std::vector<std::string>> parse_known_issues(std::string_view text) {
  KnownFile file;
  std::vector<std::string> mistakes;
  std::set<int> seen;
  int number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (const std::string mistake = take_line(line, file, seen); !mistake.empty()) {
      mistakes.push_back(fmt::format("line {}: {}", number, mistake));
    }
  }
  if (file.issues.empty() && mistakes.empty()) mistakes.emplace_back("line 1: the file contains no issue");
  if (!mistakes.empty()) return tl::unexpected(std::move(mistakes));
  return file;
}

std::string known_issue_line(const KnownIssue& issue) {
  nlohmann::ordered_json line{{"number", issue.number},
                              {"title", issue.title},
                              {"state", issue.state},
                              {"operators", issue.operators},
                              {"trait", issue.trait},
                              {"kind", oracle::name(issue.kind)},
                              {"stage", oracle::name(issue.stage)},
                              {"device", issue.device}};
  if (!issue.error.empty()) line["error"] = issue.error;
  return oracle::compact(line);
}

std::vector<std::string> operators_shown(const oracle::Evidence& evidence) {
  const oracle::Outcome* const compiled = evidence.outcome(evidence.compiled);
  if (compiled == nullptr) return {};
  std::vector<std::string> names = compiled->operators;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> dtypes_shown(const oracle::Evidence& evidence, std::string_view program) {
  std::set<std::string> found;
  const oracle::Measurement* const measured = evidence.measurement(oracle::Mode::eager, evidence.compiled);
  if (measured != nullptr) {
    for (const oracle::LeafMeasurement& leaf : measured->leaves) {
      if (leaf.metadata_differs() || leaf.values_differ()) found.emplace(oracle::name(leaf.dtype));
    }
  }
  add_named(found, program);
  return {found.begin(), found.end()};
}

}  // namespace parityd::store
