#include "agent/cli/fixing/fix_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "agent/cli/reading.h"
#include "agent/cli/running/job_session.h"
#include "agent/daemon/findings/finding_operators.h"
#include "agent/fixing/excerpt.h"
#include "agent/fixing/fix_prompt.h"

namespace parityd::agent {
namespace {

namespace fs = std::filesystem;
using oracle::NeutraliserKind;

/// Functions that are shown even if trivial programs run them: where the program raised, or what is blamed.
constexpr std::size_t kAlwaysShown = 3;

/// Some lines of an installed file; empty: it cannot be read.
std::string lines_of(const fs::path& path, int first, int last) {
  std::ifstream file(path);
  std::string text;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    if (++number > last) break;
    if (number >= first) text += line + "\n";
  }
  return text;
}

std::vector<oracle::Neutraliser> neutralisers_of(const store::FindingRow& finding) {
  return oracle::neutralisers_from_line(finding.neutraliser).value_or(std::vector<oracle::Neutraliser>());
}

/// The part of the compiler that a stage adds to the one before it.
std::string_view added_by(oracle::Stage stage) {
  switch (stage) {
    case oracle::Stage::dynamo_eager:
      return "the graphs that Dynamo captures are wrong, or its guards, or what it does around them";
    case oracle::Stage::aot_eager:
      return "Dynamo is right; AOTAutograd, functionalisation, the partitioner or a decomposition of all backends is "
             "not";
    case oracle::Stage::aot_eager_decomp_partition:
      return "Dynamo and AOTAutograd are right; one of Inductor's decompositions or the partitioner is not";
    case oracle::Stage::inductor:
      break;
  }
  return "what comes before Inductor is right; one of its own decompositions, passes or lowerings, its scheduler or "
         "its "
         "code generation is not";
}

std::string whereabouts_of(const store::FindingRow& finding) {
  const auto together = neutralisers_of(finding);
  const std::string vanishes = together.empty() ? "Nothing is known that makes it vanish."
                                                : fmt::format("It vanishes with {}.", oracle::text(together));
  return fmt::format("The first backend that differs from eager is {}: {}. {}", name(finding.stage),
                     added_by(finding.stage), vanishes);
}

/// The arguments of the tool `fired`: where to look first.
nlohmann::json suspicion_about(const store::FindingRow& finding) {
  nlohmann::json asked{{"area", name(finding.stage)}, {"blamed", nlohmann::json::array()}, {"setting", ""}};
  for (const auto& one : neutralisers_of(finding)) {
    if (oracle::names_operator(one)) asked["blamed"].push_back(packet_of(one.name));
    if (one.kind == NeutraliserKind::config) asked["setting"] = one.name.substr(one.name.rfind('.') + 1);
    if (one.kind == NeutraliserKind::pass_group) asked["area"] = "passes";
  }
  return asked;
}

/// Without the heading and without how the run ended.
std::string graphs_in(const std::string& text) {
  const auto begin = text.find("\n-- ");
  if (begin == std::string::npos) return "";
  const auto end = text.rfind("\n== ");
  return text.substr(begin + 1, end == std::string::npos || end < begin ? std::string::npos : end - begin);
}

/// Asks the tools about one finding.
class ToolRun {
 public:
  ToolRun(Engine& engine, const Config& config, const store::FindingRow& finding)
      : session_(engine, config.seed, {}), finding_(finding) {}

  [[nodiscard]] tl::expected<std::string, std::string> ask(std::string tool, const nlohmann::json& arguments) {
    auto what = inspection_of(finding_, std::move(tool));
    what.arguments = arguments.dump();
    return session_.inspect(std::move(what));
  }
  /// Empty: the tool failed.
  [[nodiscard]] std::string told(std::string tool, const nlohmann::json& arguments = nlohmann::json::object()) {
    return ask(std::move(tool), arguments).value_or("");
  }

 private:
  JobSession session_;
  const store::FindingRow& finding_;
};

/// Functions that trivial programs run, too, are only named, unless they were called for one of these operators or run
/// other lines.
bool is_shown(const FiredFunction& function, const std::vector<std::string>& operators) {
  return !function.common || !function.own_lines.empty() ||
         std::ranges::any_of(function.operators, [&](const std::string& name) {
           return std::ranges::find(operators, packet_of(name)) != operators.end();
         });
}

nlohmann::json places_of(const Fired& fired) {
  std::vector<std::string> places;
  for (const auto& function : fired.functions) places.push_back(function.place());
  return function_arguments(places);
}

std::vector<SiblingSource> sibling_sources(const std::string& answer, const fs::path& site_packages) {
  std::vector<SiblingSource> sources;
  for (auto& sibling : read_siblings(answer)) {
    auto text = lines_of(site_packages / sibling.file, sibling.first_line, sibling.last_line);
    sources.push_back({.function = std::move(sibling), .text = std::move(text)});
  }
  return sources;
}

/// The operators with which, in place of the program's own, the finding does not show.
std::vector<std::string> right_ones(const store::Store& store, const store::FindingRow& finding) {
  const auto extent = store.reductions.extent(finding.program);
  return extent ? store::values_agreeing(*extent, "operators") : std::vector<std::string>();
}

}  // namespace

tl::expected<FixRequest, std::string> question_about(const Config& config, const executor::BuiltWorker& worker,
                                                     const store::Store& store, const store::FindingRow& finding) {
  const auto draft = store.drafts.find(finding.id);
  if (!draft) return tl::unexpected(fmt::format("finding {} has no draft", finding.id));
  const auto system = text_of_file(find_installation().prompts / "fix.md");
  if (!system) return tl::unexpected(std::string("prompts/fix.md cannot be read"));
  const Config one = on_one_device(config, worker.python, finding.device);
  auto engine = make_engine(one, scratch_for("fix"), {.programs = 1});
  if (!engine) return tl::unexpected(engine.error());

  ToolRun tools(*engine, one, finding);
  const auto suspicion = suspicion_about(finding);
  const auto fired = tools.ask("fired", suspicion).and_then([](const auto& text) { return read_fired(text); });
  if (!fired) return tl::unexpected(fired.error());
  const auto operators = operators_of(finding);
  const auto places = places_of(*fired);
  const bool in_dynamo = finding.stage == oracle::Stage::dynamo_eager;  // where operators have no functions
  const nlohmann::json beside{{"functions", places},
                              {"operators", suspicion.at("blamed")},
                              {"right", in_dynamo ? std::vector<std::string>() : right_ones(store, finding)}};

  FixQuestion question{.torch = worker.torch,
                       .draft = fmt::format("{}\n\n{}", draft->title, draft->body),
                       .signature = finding.signature.text,
                       .extent = finding.extent,
                       .whereabouts = whereabouts_of(finding),
                       .graphs = graphs_in(tools.told("fx-readable")),
                       .functions = {},
                       .documented = read_documented(tools.told("documented", {{"operators", operators}}))};
  const fs::path site_packages = worker.torch_folder.parent_path();
  question.siblings = sibling_sources(tools.told("siblings", beside), site_packages);
  auto callers = read_callers(tools.told("callers", {{"functions", places}}));
  for (const auto& each : fired->functions) {
    const bool shown = question.functions.size() < kAlwaysShown || is_shown(each, operators);
    auto text = shown ? excerpt_of(lines_of(site_packages / each.file, each.first_line, each.last_line),
                                   each.first_line, each.own_lines)
                      : "";
    question.functions.push_back({.function = each, .text = std::move(text), .reached_by = callers[each.place()]});
  }
  return FixRequest{.system = *system, .user = fix_question(question)};
}

}  // namespace parityd::agent
