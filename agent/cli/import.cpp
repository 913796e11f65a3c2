// parityd import FILE…: queues programs for the daemon, now or at its next start.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "agent/cli/commands.h"
#include "agent/cli/requesting.h"
#include "agent/daemon/lock.h"

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t kLargestProgram = 1 << 20;  // a program is text a model wrote

struct Input {
  std::string file;
  std::string text;
};

/// The file's text; nullopt after saying why it cannot be taken.
std::optional<std::string> read_file(Context& context, const std::string& file) {
  const auto refuse = [&](const std::string& why) {
    context.err << fmt::format("parityd import: {}: {}\n", printable_line(file), why);
    return std::nullopt;
  };
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return refuse("is no file; name programs (.py) or replies (.md)");
  if (fs::file_size(file, error) > kLargestProgram) return refuse("is larger than 1 MiB; no program of a model is");
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.good() && !stream.eof()) return refuse("cannot be read");
  if (text.empty()) return refuse("is empty");
  return text;
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
  store->transaction([&] {
    for (const auto& input : inputs) {
      const nlohmann::json arguments{{"file", fs::path(input.file).filename().string()}, {"text", input.text}};
      store->add_request(request("import", arguments.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
    }
  });
  context.out << fmt::format("queued {} {}; {}\n", inputs.size(), inputs.size() == 1 ? "file" : "files",
                             holder ? fmt::format("the daemon (pid {}) takes them now", holder->pid)
                                    : "no daemon runs: `parityd run --provider none` runs just these");
}

}  // namespace

void add_import(CLI::App& app, Context& context) {
  auto files = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("import", "Queue programs for the daemon, now or at its next start.");
  command->add_option("files", *files, "Programs (.py) or replies of a model (any other ending)")->required();
  command->footer("A program that is known already is not run again. Exit code: 0 queued, 2 a file cannot be taken.");
  command->callback([&context, files] { import_files(context, *files); });
}

}  // namespace parityd::agent
