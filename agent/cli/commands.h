// The subcommands: each function adds one to the command line, which runs it when chosen. One thread.
#pragma once

#include <CLI/CLI.hpp>

#include "agent/cli/context.h"
#include "agent/cli/table.h"

namespace parityd::agent {

// The daemon, and commands that run programs.
void add_demo(CLI::App& app, Context& context);
void add_run(CLI::App& app, Context& context);
void add_check(CLI::App& app, Context& context);
void add_recheck(CLI::App& app, Context& context);
void add_verify(CLI::App& app, Context& context);
void add_fix(CLI::App& app, Context& context);
void add_worker(CLI::App& app, Context& context);
void add_inspect(CLI::App& app, Context& context);
void add_doctor(CLI::App& app, Context& context);
void add_backup(CLI::App& app, Context& context);
void add_notify(CLI::App& app, Context& context);
void add_cluster(CLI::App& app, Context& context);
void add_completion(CLI::App& app, Context& context);

// Requests to a running daemon.
void add_stop(CLI::App& app, Context& context);
void add_import(CLI::App& app, Context& context);
void add_known(CLI::App& app, Context& context);
void add_triage(CLI::App& app, Context& context);
void add_grouping(CLI::App& app, Context& context);  // merge, split, undo

// Readers of the database.
void add_status(CLI::App& app, Context& context);
void add_stats(CLI::App& app, Context& context);
void add_findings(CLI::App& app, Context& context);
void add_show(CLI::App& app, Context& context);
void add_draft(CLI::App& app, Context& context);
void add_repro(CLI::App& app, Context& context);
void add_export(CLI::App& app, Context& context);
void add_rejudge(CLI::App& app, Context& context);

}  // namespace parityd::agent
