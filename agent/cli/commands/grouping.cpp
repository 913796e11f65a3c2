// parityd merge, split, undo: group findings by hand. A running daemon applies the request; without one it is applied
// here, under the daemon's lock.
#include "agent/cli/commands.h"
#include "agent/cli/reading.h"
#include "agent/cli/requesting.h"

namespace parityd::agent {
namespace {

struct GroupingOptions {
  store::Id finding = 0, into = 0;
  std::vector<store::Id> programs;
  std::optional<store::Id> change;
  std::string note;
};

/// The result as text; nullopt: none yet, or the configuration's mistakes were printed.
std::optional<std::string> result_of(Context& context, const requests::Request& request) {
  RequestDesk desk(context);
  if (desk.daemon_runs()) return desk.ask_daemon(request);
  const auto config = load_context_config(context);
  return config ? std::optional(desk.ask(request, *config)->result) : std::nullopt;
}

void regroup(Context& context, const requests::Request& request) {
  if (!std::filesystem::exists(context.database())) {
    context.exit_code = 1;
    return say_no_database(context);
  }
  const auto result = result_of(context, request);
  if (!result && context.exit_code == 0) {
    context.fail(3, "parityd {}: the daemon has not answered yet; it will apply the request when it can",
                 command_of(request));
  } else if (result && result->starts_with(requests::kRefused)) {
    context.fail(1, "parityd {}: {}", command_of(request), printable_line(result->substr(requests::kRefused.size())));
  } else if (result) {
    context.out << printable_line(*result) << "; `parityd undo` reverts it\n";
  }
}

void add_note(CLI::App& command, GroupingOptions& options) {
  command.add_option("--note", options.note, "Reason, for later readers")->required();
  command.footer(
      "Nothing is deleted; `parityd undo` reverts the change. `parityd show ID` lists all changes.\n"
      "Exit code: 0 success, 1 refused, 3 the daemon did not answer.");
}

}  // namespace

void add_grouping(CLI::App& app, Context& context) {
  auto options = std::make_shared<GroupingOptions>();
  CLI::App* merge = app.add_subcommand("merge", "Merge a finding into another one with the same cause.");
  merge->add_option("id", options->finding, "The finding to merge")->type_name("FINDING")->required();
  merge->add_option("into", options->into, "The finding to merge it into")->type_name("FINDING")->required();
  add_note(*merge, *options);
  merge->callback([&context, options] {
    regroup(context, requests::Merge{.finding = options->finding, .into = options->into, .note = options->note});
  });

  CLI::App* split = app.add_subcommand("split", "Split programs with another cause from a finding.");
  split->add_option("id", options->finding, "The finding with two causes")->type_name("FINDING")->required();
  split->add_option("programs", options->programs, "Programs to split off, by their numbers in `parityd show ID`")
      ->type_name("PROGRAM")
      ->required();
  add_note(*split, *options);
  split->callback([&context, options] {
    regroup(context,
            requests::Split{.finding = options->finding, .programs = options->programs, .note = options->note});
  });

  CLI::App* undo = app.add_subcommand("undo", "Undo a merge or a split.");
  undo->add_option("change", options->change, "The change, by its number in `parityd show ID` (default: the newest)")
      ->type_name("CHANGE");
  undo->footer("Exit code: 0 success, 1 refused, 3 the daemon did not answer.");
  undo->callback([&context, options] { regroup(context, requests::Undo{options->change}); });
}

}  // namespace parityd::agent
