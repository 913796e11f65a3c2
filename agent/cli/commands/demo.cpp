// parityd demo: real findings to look at, before anything is built, configured or run.
#include <unistd.h>

#include <filesystem>

#include "agent/cli/commands.h"
#include "agent/cli/installation.h"
#include "agent/cli/page/page.h"
#include "agent/cli/watched_signals.h"
#include "agent/daemon/loop/wall_clock.h"

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

struct DemoOptions {
  int port = 0;
  bool no_page = false;
};

/// A fresh copy of the sample, so that whatever is tried on it can be tried again.
fs::path unpacked_sample() {
  const Installation installation = find_installation();
  fs::path folder = installation.cache / "demo";
  const fs::path copy = folder / fmt::format("copy-{}", getpid());
  fs::create_directories(folder);
  fs::copy_file(installation.sample, copy, fs::copy_options::overwrite_existing);
  fs::permissions(copy, fs::perms::owner_read | fs::perms::owner_write);
  for (const char* const left : {"parityd.db-wal", "parityd.db-shm"}) fs::remove(folder / left);
  fs::rename(copy, folder / "parityd.db");
  return folder;
}

void say_what_to_try(Context& context, const fs::path& folder) {
  const auto command = [&](const char* words, const char* what) {
    context.out << fmt::format("  {:<58} # {}\n", fmt::format("parityd --state '{}' {}", folder.string(), words), what);
  };
  context.out
      << "Real findings; each `parityd demo` makes a fresh copy. Commands to try, with the number of any finding:\n";
  command("findings", "list all findings");
  command("show 1", "show numbers, rounds and program");
  command("draft 1", "print the issue draft");
  command("repro 1", "print a script that needs only torch");
  command("stats", "show where worker time went and what each mode found");
}

/// Until Ctrl-C. The signals are taken before the server starts, so that its threads have them blocked, too.
void serve(Context& context, const fs::path& database, int port) {
  const WatchedSignals signals;
  const PageFacts facts{.database = database,
                        .version = PARITYD_VERSION,
                        .settings = std::make_shared<PageSettings>(Config{}),
                        .started = wall_clock(),
                        .daemon = false};
  const auto server =
      PageServer::start({.host = "127.0.0.1", .port = port}, Secret(),
                        [facts](const PageRequest& request) { return answer_page(facts, request, wall_clock()); });
  if (!server) return context.fail(3, "parityd demo: {}", server.error());
  context.out << fmt::format("Web page: {} (Ctrl-C stops it)\n", (*server)->address()) << std::flush;
  while (signals.wait(std::chrono::milliseconds(-1))) continue;
}

void demo(Context& context, const DemoOptions& options) {
  try {
    const fs::path folder = unpacked_sample();
    say_what_to_try(context, folder);
    if (!options.no_page) serve(context, folder / "parityd.db", options.port);
  } catch (const fs::filesystem_error& error) {
    context.fail(3, "parityd demo: {}", error.what());
  }
}

}  // namespace

void add_demo(CLI::App& app, Context& context) {
  auto options = std::make_shared<DemoOptions>();
  CLI::App* command =
      app.add_subcommand("demo", "Serve the web page with sample findings and list commands to try; needs no torch.");
  command->add_option("--port", options->port, "Port of the page on 127.0.0.1; 0: any free port")
      ->type_name("N")
      ->check(CLI::Range(0, 65'535))
      ->capture_default_str();
  command->add_flag("--no-page", options->no_page, "Only copy the sample and list the commands");
  command->footer(
      "The copy is in $XDG_CACHE_HOME/parityd/demo (~/.cache/parityd/demo); --state is ignored.\n"
      "Exit code: 0 success, 2 usage error, 3 the sample cannot be copied or the page cannot be served.");
  command->callback([&context, options] { demo(context, *options); });
}

}  // namespace parityd::agent
