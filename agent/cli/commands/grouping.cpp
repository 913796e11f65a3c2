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
    context.fail(3, "parityd {}: the daemon has not answered yet; it applies the request when it can",
                 command_of(request));
  } else if (result && result->starts_with(requests::kRefused)) {
    context.fail(1, "parityd {}: {}", command_of(request), printable_line(result->substr(requests::kRefused.size())));
  } else if (result) {
    context.out << printable_line(*result) << "; `parityd undo` takes it back\n";
  }
}

void add_note(CLI::App& command, GroupingOptions& options) {
  command.add_option("--note", options.note, "Why, for whoever reads it later")->required();
  command.footer(
      "Nothing is deleted, and `parityd undo` takes it back. `parityd show ID` lists what was done.\n"
      "Exit code: 0 done, 1 it cannot be done, 3 the daemon did not answer.");
}

}  // namespace

void add_grouping(CLI::App& app, Context& context) {
  auto options = std::make_shared<GroupingOptions>();
  CLI::App* merge = app.add_subcommand("merge", "Say that a finding is the same as another one.");
  merge->add_option("id", options->finding, "The finding that is counted with the other from now on")
      ->type_name("FINDING")
      ->required();
  merge->add_option("into", options->into, "The other one, which stays")->type_name("FINDING")->required();
  add_note(*merge, *options);
  merge->callback([&context, options] {
    regroup(context, requests::Merge{.finding = options->finding, .into = options->into, .note = options->note});
  });

  CLI::App* split = app.add_subcommand("split", "Say that some programs of a finding are another finding.");
  split->add_option("id", options->finding, "The finding that holds two causes")->type_name("FINDING")->required();
  split->add_option("programs", options->programs, "Programs, as `parityd show ID` numbers them")
      ->type_name("PROGRAM")
      ->required();
  add_note(*split, *options);
  split->callback([&context, options] {
    regroup(context,
            requests::Split{.finding = options->finding, .programs = options->programs, .note = options->note});
  });

  CLI::App* undo = app.add_subcommand("undo", "Take back a merge or a split.");
  undo->add_option("change", options->change, "As `parityd show ID` numbers them; default: the newest")
      ->type_name("CHANGE");
  undo->footer("Exit code: 0 done, 1 it cannot be done, 3 the daemon did not answer.");
  undo->callback([&context, options] { regroup(context, requests::Undo{options->change}); });
}

}  // namespace parityd::agent
