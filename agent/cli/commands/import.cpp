// parityd import FILE…: queues programs for the daemon, now or at its next start.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <optional>

#include "agent/cli/commands.h"
#include "agent/cli/installation.h"
#include "agent/cli/reading.h"
#include "agent/cli/requesting.h"
#include "agent/cli/scratch_folder.h"
#include "agent/cli/table.h"
#include "agent/daemon/lock.h"
#include "agent/llm/reply.h"
#include "executor/syntax/syntax_client.h"
#include "executor/worker_build.h"
#include "store/upkeep/interchange.h"

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t kLargestProgram = 1 << 20;  // programs are texts written by models

constexpr std::size_t kTogether = 200;  // requests per transaction, the longest that a running daemon has to wait for
constexpr std::int64_t kMostSaid = 100;

struct Input {
  std::string file;
  std::string text;  // empty: lines, which are read when they are queued
};

struct Queued {
  std::int64_t queued = 0, refused = 0;
};

bool holds_lines(const std::string& file) { return file == "-" || file.ends_with(".jsonl"); }

/// The file's text; nullopt after reporting why it cannot be imported.
std::optional<std::string> read_file(Context& context, const std::string& file) {
  const auto refuse = [&](const std::string& why) {
    context.err << fmt::format("parityd import: {}: {}\n", printable_line(file), why);
    return std::nullopt;
  };
  if (file == "-") return "";
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    return refuse("is not a file; expected programs (.py), texts (.md) or JSON Lines (.jsonl, - for standard input)");
  }
  std::ifstream stream(file, std::ios::binary);
  if (holds_lines(file)) return stream ? std::optional<std::string>("") : refuse("cannot be read");
  if (fs::file_size(file, error) > kLargestProgram) return refuse("is larger than 1 MiB, too large for a program");
  auto text = text_of_file(file);
  if (!text) return refuse("cannot be read");
  if (text->empty()) return refuse("is empty");
  return text;
}

/// A Python to parse with; any will do.
fs::path some_python(const Config& config, const Installation& installation) {
  if (!config.python.empty()) return config.python;
  const auto workers = executor::built_workers(installation.worker_places());
  return workers.empty() ? "/usr/bin/python3" : workers.front().python;
}

/// Reports the fixes the daemon will apply to each program, and why others cannot be used. Returns the number of the
/// latter. If the syntax process does not run, the daemon reports these things later.
int look_through(Context& context, const std::vector<Input>& inputs) {
  if (std::ranges::all_of(inputs, [](const Input& input) { return holds_lines(input.file); })) return 0;
  const auto config = load_context_config(context);
  if (!config) return 0;
  const Installation installation = find_installation();
  const ScratchFolder scratch(scratch_for("import"));
  executor::SyntaxClient syntax(installation.launcher, some_python(*config, installation), installation.syntax_script,
                                scratch.path());
  int refused = 0;
  for (const auto& input : inputs) {
    if (holds_lines(input.file)) continue;
    const GivenText given = given_text(input.file, input.text);
    syntax.normalise(given.text, true, given.truncated, [&](const auto& program) {
      const std::string name = printable_line(input.file);
      const std::string why = program ? program->problem : program.error().message;
      if (!why.empty() && !why.starts_with("the syntax process")) {
        context.err << fmt::format("parityd import: {}: {}\n", name, printable_line(why));
        ++refused;
      } else if (program && !program->fixes.empty()) {
        context.out << fmt::format("{}: {}\n", name,
                                   printable_line(fmt::format("{}", fmt::join(program->fixes, "; "))));
      }
    });
    syntax.wait();
  }
  return refused;
}

/// Lines of one file: each program becomes a request for the daemon (docs/interchange.md).
class Lines {
 public:
  Lines(Context& context, store::Store& store, const std::string& name)
      : context_(context), store_(store), name_(name) {}

  /// False: the rest of the file cannot be read by this version.
  bool queue(const std::string& text, std::int64_t number) {
    const auto line = store::interchange_line(text);
    if (!line) {
      refuse(number, line.error().message);
      return !line.error().newer_version;
    }
    if (line->text.empty()) return true;
    requests::Import program{.file = fmt::format("{}:{}", name_, number), .text = line->text, .line = true};
    if (!line->options_json.empty()) program.options_json = line->options_json;
    requests_.push_back(own_row(program));
    if (requests_.size() >= kTogether) queue();
    return true;
  }

  Queued end() {
    queue();
    if (taken_.refused > kMostSaid) {
      context_.err << fmt::format("parityd import: {}: and {} more lines\n", printable_line(name_),
                                  taken_.refused - kMostSaid);
    }
    return taken_;
  }

 private:
  void refuse(std::int64_t number, const std::string& why) {
    if (++taken_.refused > kMostSaid) return;
    context_.err << fmt::format("parityd import: {}:{}: {}\n", printable_line(name_), number, printable_line(why));
  }

  void queue() {
    store_.transaction([&] {
      for (const auto& row : requests_) store_.requests.add(row);
    });
    taken_.queued += static_cast<std::int64_t>(requests_.size());
    requests_.clear();
  }

  Context& context_;
  store::Store& store_;
  std::string name_;
  std::vector<store::RequestRow> requests_;
  Queued taken_;
};

/// Queues the valid lines and reports errors in the others by `name` and line number. `name`: the programs' source,
/// without folders. Stops at a file of a newer version.
Queued import_lines(Context& context, store::Store& store, std::istream& stream, const std::string& name) {
  Lines lines(context, store, name);
  std::string text;
  for (std::int64_t number = 1; std::getline(stream, text); ++number) {
    if (text.ends_with('\r')) text.pop_back();
    if (number == 1 && text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    if (text.find_first_not_of(" \t") == std::string::npos) continue;
    if (!lines.queue(text, number)) break;
  }
  return lines.end();
}

Queued queue_lines(Context& context, store::Store& store, const std::string& file) {
  if (file == "-") return import_lines(context, store, std::cin, "standard input");
  std::ifstream stream(file, std::ios::binary);
  return import_lines(context, store, stream, fs::path(file).filename().string());
}

Queued queue_all(Context& context, store::Store& store, const std::vector<Input>& inputs) {
  Queued all;
  for (const auto& input : inputs) {
    if (holds_lines(input.file)) {
      const Queued taken = queue_lines(context, store, input.file);
      all.queued += taken.queued;
      all.refused += taken.refused;
      continue;
    }
    store.requests.add(own_row(requests::Import{.file = fs::path(input.file).filename().string(), .text = input.text}));
    ++all.queued;
  }
  return all;
}

std::string many(std::int64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void import_files(Context& context, const std::vector<std::string>& files) {
  std::vector<Input> inputs;
  for (const auto& file : files) {
    if (auto text = read_file(context, file)) inputs.push_back({file, std::move(*text)});
  }
  if (inputs.size() != files.size()) {
    return context.fail(2, "parityd import: nothing was queued; fix the list and try again");
  }
  if (look_through(context, inputs) > 0) {
    context.fail(2, "parityd import: nothing was queued; see the errors above");
  }
  if (context.exit_code != 0) return;
  const auto holder = DaemonLock::holder(context.state_directory);
  const auto store = open_for_requests(context, holder.has_value());
  const Queued taken = queue_all(context, *store, inputs);
  if (taken.refused > 0) context.exit_code = 1;
  context.out << fmt::format("queued {}{}; {}\n", many(taken.queued, "program"),
                             taken.refused > 0 ? fmt::format(", {} rejected", many(taken.refused, "line")) : "",
                             holder ? fmt::format("the daemon (pid {}) is taking them", holder->pid)
                                    : "no daemon is running; `parityd run --provider none` runs only these");
}

}  // namespace

void add_import(CLI::App& app, Context& context) {
  auto files = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("import", "Queue programs for the daemon, now or at its next start.");
  command
      ->add_option("files", *files,
                   "Programs and scripts (.py), JSON Lines (.jsonl, or - for standard input); model replies, issues, "
                   "notebooks (other)")
      ->type_name("FILE")
      ->required();
  command->footer(
      "Programs that are already known are not run again. Scripts are converted, and the changes are printed;\n"
      "docs/interchange.md describes what is understood, and the format of the lines.\n"
      "Exit code: 0 queued, 1 some lines were rejected (and named), 2 a file cannot be used and nothing was queued.");
  command->callback([&context, files] { import_files(context, *files); });
}

}  // namespace parityd::agent
