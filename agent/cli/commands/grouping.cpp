// parityd merge, split, undo: groups findings by hand. Beside a running daemon the request is the daemon's to apply;
// without one it is applied here, under the daemon's lock.
#include "agent/daemon/findings/grouping.h"

#include <fmt/format.h>
#include <poll.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/cli/commands.h"
#include "agent/cli/installation.h"
#include "agent/cli/reading.h"
#include "agent/cli/requesting.h"
#include "agent/daemon/lock.h"
#include "agent/daemon/loop/wall_clock.h"

namespace parityd::agent {
namespace {

constexpr store::Millis kPatience = 10'000;  // a turn of the daemon's loop takes half a second at most

struct GroupingOptions {
  store::Id finding = 0, into = 0;
  std::vector<store::Id> programs;
  std::optional<store::Id> change;
  std::string note;
};

/// What the daemon made of the request; nullopt when it did not answer in time.
std::optional<std::string> ask_daemon(const Context& context, const store::RequestRow& request) {
  const auto store = open_for_requests(context, true);
  const store::Id id = store->requests.add(request);
  for (const store::Millis until = wall_clock() + kPatience; wall_clock() < until; poll(nullptr, 0, 100)) {
    if (auto result = store->requests.result(id)) return result;
  }
  return std::nullopt;
}

std::string apply_here(const Context& context, const Config& config, store::RequestRow request) {
  const auto store = open_for_requests(context, false);
  Recorder recorder(*store, find_installation().draft_template, config.seed, disposition_policy(config));
  std::string result;
  store->transaction([&] {
    request.id = store->requests.add(request);
    result = apply_grouping(*store, recorder, request, wall_clock());
    store->requests.end(request.id, result, wall_clock());
  });
  return result;
}

void regroup(Context& context, const std::string& command, const nlohmann::json& arguments) {
  if (!std::filesystem::exists(context.database())) {
    context.err << no_database_message(context);
    context.exit_code = 1;
    return;
  }
  const auto asked = request(command, arguments.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  std::optional<std::string> result;
  if (const auto lock = DaemonLock::take(context.state_directory)) {
    const auto config = load_context_config(context);
    if (!config) return;
    result = apply_here(context, *config, asked);
  } else {
    result = ask_daemon(context, asked);
  }
  if (!result) {
    context.err << fmt::format("parityd {}: the daemon has not answered yet; it applies the request when it can\n",
                               command);
    context.exit_code = 3;
  } else if (result->starts_with(kRefused)) {
    context.err << fmt::format("parityd {}: {}\n", command, printable_line(result->substr(kRefused.size())));
    context.exit_code = 1;
  } else {
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
    regroup(context, "merge", {{"finding", options->finding}, {"into", options->into}, {"note", options->note}});
  });

  CLI::App* split = app.add_subcommand("split", "Say that some programs of a finding are another finding.");
  split->add_option("id", options->finding, "The finding that holds two causes")->type_name("FINDING")->required();
  split->add_option("programs", options->programs, "Programs, as `parityd show ID` numbers them")
      ->type_name("PROGRAM")
      ->required();
  add_note(*split, *options);
  split->callback([&context, options] {
    regroup(context, "split",
            {{"finding", options->finding}, {"programs", options->programs}, {"note", options->note}});
  });

  CLI::App* undo = app.add_subcommand("undo", "Take back a merge or a split.");
  undo->add_option("change", options->change, "As `parityd show ID` numbers them; default: the newest")
      ->type_name("CHANGE");
  undo->footer("Exit code: 0 done, 1 it cannot be done, 3 the daemon did not answer.");
  undo->callback([&context, options] {
    regroup(context, "undo",
            {{"change", options->change ? nlohmann::json(*options->change) : nlohmann::json(nullptr)}});
  });
}

}  // namespace parityd::agent
