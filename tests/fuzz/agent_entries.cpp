#include "tests/fuzz/agent_entries.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "agent/cli/commands/known_sync.h"
#include "agent/config.h"
#include "agent/daemon/findings/known.h"
#include "agent/llm/reply.h"
#include "agent/requests/request.h"
#include "store/findings/known_issues.h"
#include "tests/fuzz/promises.h"

namespace parityd::fuzz {
namespace {

using agent::ExtractedProgram;
using agent::Finish;
using agent::ReplyClass;

constexpr std::array kFinishes = {Finish::stop, Finish::length, Finish::refusal, Finish::filter};

bool is_utf8(std::string_view text) {
  try {
    use_text(std::string(text));
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

/// Whether nothing in a program is for the extractor: tags of thinking, prompts of a session, ends of lines and
/// characters that it replaces.
bool is_plain(const std::string& program) {
  const bool ascii =
      std::all_of(program.begin(), program.end(), [](char c) { return c == '\n' || (c >= 0x20 && c < 0x7F); });
  const auto holds = [&](const char* text) { return program.find(text) != std::string::npos; };
  return ascii && !holds("think") && !holds(">>>") && !holds("<|");
}

std::string fenced(const std::string& program) {
  std::string fence = "```";
  while (program.find(fence) != std::string::npos) {
    fence += '`';
  }
  return fence + "python\n" + program + fence + "\n";
}

/// What a finding might ask of the table: every issue should be able to be its match.
store::KnownQuery query_like(const store::KnownIssue& issue) {
  return {.kind = issue.kind,
          .stage = issue.stage,
          .operators = issue.operators,
          .called = issue.operators,
          .device = issue.device,
          .message = issue.error + issue.title};
}

void use_issue(const store::KnownIssue& issue, const std::vector<store::KnownIssue>& all) {
  const store::KnownQuery query = query_like(issue);
  const std::string stored = store::known_query_text(query);
  require(store::known_query_text(store::known_query_from_text(stored)) == stored, "a query survives being stored");
  const auto matches = store::match_known(query, all);
  require(matches.size() <= 5, "five matches are enough");
  for (const auto& match : matches) {
    require(match.issue > 0 && !match.reason.empty(), "a match is an issue and has a reason");
    use_text(match.reason);
  }
}

std::string written(const std::vector<store::KnownIssue>& issues) {
  std::string text;
  for (const auto& issue : issues) {
    text += store::known_issue_line(issue) + "\n";
  }
  return text;
}

void feed_reading(std::string_view text, Finish finish) {
  constexpr int kChecks = 1;
  const auto reading = agent::extract_reading(text, finish, kChecks);
  int programs = 0;
  int checks = 0;
  for (const auto& each : reading.hypotheses) {
    programs += each.program.empty() ? 0 : 1;
    checks += each.check && !each.program.empty() ? 1 : 0;
    require(each.place > 0, "every hypothesis has its place");
    if (is_utf8(text)) {
      use_text(each.hypothesis);
    }
  }
  require((reading.klass == ReplyClass::program) == (programs > 0), "programs are there where it is said");
  require(checks <= kChecks, "no more programs about checks than were asked for");
}

}  // namespace

void feed_reply(std::string_view text) {
  if (text.empty()) {
    return;
  }
  const Finish finish = kFinishes[static_cast<unsigned char>(text.front()) % kFinishes.size()];
  text.remove_prefix(1);
  const ExtractedProgram found = agent::extract_program(text, finish);
  require(agent::name(found.klass) != "?", "every class of reply has a name");
  require((found.klass == ReplyClass::program) == !found.program.empty(), "a program is there where it is said");
  require(found.program.size() <= 2 * text.size() + 2, "a program is not much larger than its reply");
  require(found.klass == ReplyClass::program || !found.truncated, "only a program is cut");
  if (is_utf8(text)) {
    use_text(found.program);
  }
  if (found.klass == ReplyClass::program && is_plain(found.program)) {
    const ExtractedProgram again = agent::extract_program(fenced(found.program), Finish::stop);
    require(again.program == found.program && !again.truncated, "a program in a fence is found as it is");
  }
  feed_reading(text, finish);
}

void feed_config(std::string_view text) {
  const std::filesystem::path file = "parityd.toml";
  const auto config = agent::parse_config(text, file);
  if (!config) {
    require(!config.error().empty(), "a refusal has a mistake");
    for (const std::string& mistake : config.error()) {
      require(mistake.starts_with("parityd.toml:"), "a mistake names its file");
      use_text(mistake);
    }
    return;
  }
  require(config->providers.contains("builtin"), "builtin is always there");
  require(config->workers >= 0 && config->confirmation_rounds >= 1, "numbers are within their limits");
  for (const auto& [name, provider] : config->providers) {
    require(provider.name == name, "a provider bears its table's name");
    use_text(name);
  }
  const auto misspelt = agent::parse_config(std::string(text) + "\n[no_such_table]\n", file);
  require(
      !misspelt && misspelt.error().size() == 1 && misspelt.error().front().find("no_such_table") != std::string::npos,
      "a table that nobody reads is told");
}

void feed_known_issues(std::string_view text) {
  const auto file = store::parse_known_issues(text);
  if (!file) {
    require(!file.error().empty(), "a refusal has a mistake");
    for (const std::string& mistake : file.error()) {
      require(mistake.starts_with("line "), "a mistake names its line");
      use_text(mistake);
    }
    return;
  }
  for (const auto& issue : file->issues) {
    use_issue(issue, file->issues);
  }
  (void)agent::known_age(file->as_of, 1'800'000'000'000);
  if (!file->issues.empty()) {
    const auto again = store::parse_known_issues(written(file->issues));
    require(again && written(again->issues) == written(file->issues), "issues survive being written");
  }
  const auto request = row_of(agent::requests::TakeKnown{.issues = file->issues, .as_of = file->as_of}, "", 0);
  const auto taken = agent::requests::read(request);
  require(taken && row_of(*taken, "", 0).arguments == request.arguments, "an import survives being a request");
}

void feed_github_page(std::string_view json) {
  static const std::set<std::string> kOperators{"softmax", "upsample_nearest2d", "view", "cumsum"};
  const auto page = agent::issues_of_page(json, kOperators);
  if (!page) {
    return use_error(page.error());
  }
  require(page->issues.size() <= page->entries, "an issue is an entry");
  if (page->issues.empty()) {
    return;
  }
  for (const auto& issue : page->issues) {
    require(issue.number > 0, "an issue has a number");
    use_text(issue.title);
    use_issue(issue, page->issues);
  }
}

}  // namespace parityd::fuzz
