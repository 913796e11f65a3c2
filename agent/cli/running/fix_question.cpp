#include "agent/cli/running/fix_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "agent/cli/reading.h"
#include "agent/cli/running/job_session.h"
#include "agent/daemon/findings/finding_operators.h"
#include "agent/fixing/fix_prompt.h"

namespace parityd::agent {
namespace {

namespace fs = std::filesystem;

/// The lines of a function, as installed; empty: the file cannot be read.
std::string source_of(const fs::path& site_packages, const FiredFunction& function) {
  std::ifstream file(site_packages / function.file);
  std::string text;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    if (++number > function.last_line) break;
    if (number >= function.first_line) text += line + "\n";
  }
  return text;
}

tl::expected<Fired, std::string> what_fired(Config config, const executor::BuiltWorker& worker,
                                            const store::FindingRow& finding) {
  config = on_one_device(std::move(config), worker.python, finding.device);
  auto engine = make_engine(config, scratch_for("fix"), {.programs = 1});
  if (!engine) return tl::unexpected(engine.error());
  JobSession session(*engine, config.seed, {});
  return session.inspect(inspection_of(finding, "fired")).and_then([](const auto& text) { return read_fired(text); });
}

/// Functions that trivial programs enter, too, are only named, unless they were called for one of these operators.
bool is_shown(const FiredFunction& function, const std::vector<std::string>& operators) {
  return !function.common || std::ranges::any_of(function.operators, [&](const std::string& name) {
    return std::ranges::find(operators, packet_of(name)) != operators.end();
  });
}

}  // namespace

tl::expected<std::string, std::string> question_about(const Config& config, const executor::BuiltWorker& worker,
                                                      const store::Store& store, const store::FindingRow& finding) {
  const auto draft = store.drafts.find(finding.id);
  if (!draft) return tl::unexpected(fmt::format("finding {} has no draft", finding.id));
  const auto system = text_of_file(find_installation().prompts / "fix.md");
  if (!system) return tl::unexpected(std::string("prompts/fix.md cannot be read"));
  const auto fired = what_fired(config, worker, finding);
  if (!fired) return tl::unexpected(fired.error());
  FixQuestion question{.torch = worker.torch,
                       .draft = fmt::format("{}\n\n{}", draft->title, draft->body),
                       .signature = finding.signature.text,
                       .extent = finding.extent,
                       .functions = {}};
  const auto operators = operators_of(finding);
  question.functions.reserve(fired->functions.size());
  for (const auto& function : fired->functions) {
    question.functions.push_back(
        {.function = function,
         .text = !is_shown(function, operators) ? "" : source_of(worker.torch_folder.parent_path(), function)});
  }
  return *system + "\n" + fix_question(question);
}

}  // namespace parityd::agent
