// parityd import FILE…: queues programs for the daemon, now or at its next start.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "agent/cli/commands.h"
#include "agent/cli/import_lines.h"
#include "agent/cli/requesting.h"
#include "agent/daemon/lock.h"

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t kLargestProgram = 1 << 20;  // a program is text a model wrote

struct Input {
  std::string file;
  std::string text;  // empty: lines, read as they are queued
};

bool holds_lines(const std::string& file) { return file == "-" || file.ends_with(".jsonl"); }

/// The file's text; nullopt after saying why it cannot be taken.
std::optional<std::string> read_file(Context& context, const std::string& file) {
  const auto refuse = [&](const std::string& why) {
    context.err << fmt::format("parityd import: {}: {}\n", printable_line(file), why);
    return std::nullopt;
  };
  if (file == "-") return "";
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    return refuse("is no file; name programs (.py), replies (.md) or JSON Lines (.jsonl, - for standard input)");
  }
  std::ifstream stream(file, std::ios::binary);
  if (holds_lines(file)) return stream ? std::optional<std::string>("") : refuse("cannot be read");
  if (fs::file_size(file, error) > kLargestProgram) return refuse("is larger than 1 MiB; no program of a model is");
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.good() && !stream.eof()) return refuse("cannot be read");
  if (text.empty()) return refuse("is empty");
  return text;
}

LinesTaken queue_lines(Context& context, store::Store& store, const std::string& file) {
  if (file == "-") return import_lines(context, store, std::cin, "standard input");
  std::ifstream stream(file, std::ios::binary);
  return import_lines(context, store, stream, fs::path(file).filename().string());
}

LinesTaken queue_all(Context& context, store::Store& store, const std::vector<Input>& inputs) {
  LinesTaken all;
  for (const auto& input : inputs) {
    if (holds_lines(input.file)) {
      const LinesTaken taken = queue_lines(context, store, input.file);
      all.queued += taken.queued;
      all.refused += taken.refused;
      continue;
    }
    const nlohmann::json arguments{{"file", fs::path(input.file).filename().string()}, {"text", input.text}};
    store.add_request(request("import", arguments.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
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
    context.err << "parityd import: nothing was queued; correct the list and repeat it\n";
    context.exit_code = 2;
    return;
  }
  const auto holder = DaemonLock::holder(context.state_directory);
  const auto store = open_for_requests(context, holder.has_value());
  const LinesTaken taken = queue_all(context, *store, inputs);
  if (taken.refused > 0) context.exit_code = 1;
  context.out << fmt::format("queued {}{}; {}\n", many(taken.queued, "program"),
                             taken.refused > 0 ? fmt::format(", {} not taken", many(taken.refused, "line")) : "",
                             holder ? fmt::format("the daemon (pid {}) takes them now", holder->pid)
                                    : "no daemon runs: `parityd run --provider none` runs just these");
}

}  // namespace

void add_import(CLI::App& app, Context& context) {
  auto files = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("import", "Queue programs for the daemon, now or at its next start.");
  command
      ->add_option("files", *files,
                   "Programs (.py), JSON Lines (.jsonl, or - for standard input), replies of a model (else)")
      ->type_name("FILE")
      ->required();
  command->footer(
      "A program that is known already is not run again. Programs in the manner of FUEL, WhiteFox and KernelBench are\n"
      "converted; docs/interchange.md has the lines' format.\n"
      "Exit code: 0 queued, 1 some lines were not (they are named), 2 a file cannot be taken: nothing was queued.");
  command->callback([&context, files] { import_files(context, *files); });
}

}  // namespace parityd::agent
