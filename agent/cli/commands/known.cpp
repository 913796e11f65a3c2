// parityd known import FILE, parityd known sync: update the table of known issues.

#include "agent/daemon/findings/known.h"
#include "agent/cli/commands.h"
#include "agent/cli/commands/known_sync.h"
#include "agent/cli/installation.h"
#include "agent/cli/reading.h"
#include "agent/cli/requesting.h"
#include "agent/cli/running/providers.h"
#include "agent/daemon/loop/wall_clock.h"
#include "store/base/operator_names.h"

namespace parityd::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestTable = 64 << 20;
constexpr std::size_t kMostMistakes = 20;
/// Starts this long before the last synchronisation: clocks differ, and an issue may change while the list is read.
constexpr store::Millis kOverlap = store::kDay;

void fail(Context& context, const std::string& message, int exit_code) {
  context.fail(exit_code, "parityd known: {}", message);
}

void deliver(Context& context, const Config& config, requests::TakeKnown update) {
  const std::size_t issues = update.issues.size();
  RequestDesk desk(context);
  if (!desk.daemon_runs()) {
    const auto shipped = load_shipped_known(desk.store(), find_installation().known_issues);
    if (!shipped) return fail(context, shipped.error(), 3);
  }
  const auto applied = desk.ask(std::move(update), config);
  if (!applied) {
    context.out << fmt::format("{} issues; the running daemon is taking them\n", issues);
    return;
  }
  context.out << fmt::format("{} issues imported; now {}\n", issues, applied->line);
  if (applied->released > 0) context.out << fmt::format("{} findings are no longer held(stale)\n", applied->released);
}

void import_known(Context& context, const std::string& file) {
  const auto config = load_context_config(context);
  if (!config) return;
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return fail(context, file + ": is not a file", 2);
  if (fs::file_size(file, error) > kLargestTable) return fail(context, file + ": is larger than 64 MiB", 2);
  const auto parsed = store::parse_known_issues(text_of_file(file).value_or(""));
  if (!parsed) {
    const auto& mistakes = parsed.error();
    for (std::size_t index = 0; index < std::min(mistakes.size(), kMostMistakes); ++index) {
      context.err << fmt::format("{}: {}\n", printable_line(file), printable_line(mistakes[index]));
    }
    return fail(context, fmt::format("{} mistakes, so nothing was imported", mistakes.size()), 2);
  }
  if (parsed->as_of && !known_age(parsed->as_of, wall_clock())) {
    return fail(context, file + ": its date (\"as_of\") is in the future", 2);
  }
  if (!parsed->as_of) {
    context.err
        << "parityd known: the file has no date ({\"as_of\": \"2026-11-21\"}), so the table's age does not change\n";
  }
  deliver(context, *config, {.issues = parsed->issues, .as_of = parsed->as_of});
}

/// Operator names to look for in titles: those in the table, except plain English words.
std::set<std::string> known_operators(const std::vector<store::KnownIssue>& issues) {
  std::set<std::string> names;
  for (const auto& issue : issues) {
    for (const auto& name : issue.operators) {
      if (name.size() > 2 && !store::is_common_operator(name)) names.insert(store::operator_family(name));
    }
  }
  return names;
}

void sync_known(Context& context) {
  const auto config = load_context_config(context);
  if (!config) return;
  const auto token = token_of(config->known_token_env, config->known_token_file);
  if (!token) return fail(context, token.error(), 3);
  const auto shipped_file = find_installation().known_issues;
  const auto shipped = store::parse_known_issues(text_of_file(shipped_file).value_or(""));
  if (!shipped) return fail(context, shipped_file.string() + ": " + shipped.error().front(), 3);
  const auto store = open_for_reading(context);
  const auto last = std::max(store ? store->known.gathered_at().value_or(0) : 0, shipped->as_of.value_or(0));
  const store::Millis started = wall_clock();
  HttpClient http;
  const auto issues = fetch_known_issues(http, {.url = config->known_url,
                                                .token = *token,
                                                .since = std::min(last, started) - kOverlap,
                                                .operators = known_operators(shipped->issues)});
  if (!issues) return fail(context, issues.error(), 3);
  deliver(context, *config, {.issues = *issues, .source = store::KnownSource::guess, .as_of = started});
}

}  // namespace

void add_known(CLI::App& app, Context& context) {
  auto file = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("known", "Update the table of known issues.");
  command->require_subcommand(1);
  CLI::App* from_file = command->add_subcommand("import", "Import issues from a file, without network access.");
  from_file->add_option("file", *file, "JSON Lines in the format of store/known_issues.jsonl")
      ->type_name("FILE")
      ->required();
  from_file->footer(
      "Issues in the file replace those with the same number. Exit code: 0 imported, 2 the file has mistakes.");
  from_file->callback([&context, file] { import_known(context, *file); });
  CLI::App* sync = command->add_subcommand("sync", "Get changes since the last sync from GitHub.");
  sync->footer(
      "Requests issues of pytorch/pytorch labelled \"oncall: pt2\", \"oncall: cpu inductor\" or \"topic: fuzzer\". No\n"
      "token is needed; [known] token_env or token_file sets one. Exit code: 0 success, 3 GitHub did not answer.");
  sync->callback([&context] { sync_known(context); });
}

}  // namespace parityd::agent
