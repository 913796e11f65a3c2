#include "agent/cli/fixing/overlay_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "agent/cli/installation.h"
#include "executor/pool/worker_launch.h"
#include "executor/process/process.h"
#include "store/base/text.h"

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

using executor::Clock;
using Failures = std::map<std::string, std::string>;  // error by module

constexpr std::chrono::milliseconds kImportLook(20);  // between looks, since no descriptor announces a process' end
constexpr std::chrono::seconds kImportSlack(10);      // beyond the process' own limit, which shows where it hangs
constexpr std::size_t kLongestError = 2000;           // characters
constexpr std::size_t kMostHung = 3;                  // places of a stack that are told

/// The text's end, without what a terminal or a model should not see.
std::string last_words(const std::string& text) {
  const auto from = text.size() - std::min(text.size(), kLongestError);
  std::string clean = store::clean_text(std::string_view(text).substr(from));
  clean.erase(clean.find_last_not_of(" \n\t") + 1);
  return store::shortened(clean, kLongestError);
}

struct Imported {
  std::optional<std::string> answer;  // its line
  std::optional<executor::ExitState> ended;
  bool flooded = false;  // a line without end
  std::string output;
};

Imported wait_for_import(executor::Process& process, Clock::time_point deadline) {
  Imported imported;
  while (!imported.ended || !process.output_closed()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) break;
    (void)process.wait(imported.ended || process.output_closed() ? std::min(left, kImportLook) : left);
    process.poll();
    while (auto line = process.take_line()) imported.answer = imported.answer ? imported.answer : std::move(line);
    imported.flooded = process.overflowed();
    if (imported.flooded) break;
    imported.ended = process.exit_state();
  }
  if (!imported.ended) process.kill_tree();
  process.poll();
  imported.output = process.captured_errors();
  return imported;
}

/// Of the answer; nullopt: it gave none that can be read.
std::optional<Failures> failures_in(const std::optional<std::string>& answer) {
  const auto json = nlohmann::json::parse(answer.value_or(""), nullptr, false);
  if (!json.is_object() || !json.contains("failed") || !json["failed"].is_object()) return std::nullopt;
  Failures failures;
  for (const auto& [module, error] : json["failed"].items()) {
    if (!error.is_string()) return std::nullopt;
    failures.emplace(store::clean_line(module), last_words(error.get<std::string>()));
  }
  return failures;
}

/// The innermost places of the stack that faulthandler printed, innermost first, with paths below `overlay`.
std::string where_it_hung(std::string_view output, const std::string& overlay) {
  constexpr std::string_view kFile = "  File \"";
  std::string places;
  std::size_t count = 0;
  for (auto at = output.find(kFile); at != std::string_view::npos && count < kMostHung;
       at = output.find(kFile, at + 1)) {
    std::string place(output.substr(at, output.find('\n', at) - at));
    if (place.find("<frozen ") != std::string::npos) continue;  // the importing itself
    if (const auto root = place.find(overlay + "/"); root != std::string::npos) place.erase(root, overlay.size() + 1);
    places += place + "\n";
    ++count;
  }
  return last_words(places);
}

std::string how_it_ended(const Imported& imported, std::chrono::seconds patience, const std::string& overlay) {
  const auto with_words = [](const std::string& how, const std::string& words) {
    return words.empty() ? how : how + "\n" + words;
  };
  if (imported.flooded) return "importing torch wrote a line without end";
  constexpr std::string_view kTimeout = "Timeout (";  // of faulthandler
  const auto dumped = imported.output.rfind(kTimeout);
  if (!imported.ended || dumped != std::string::npos) {
    const auto dump = dumped == std::string::npos ? std::string() : imported.output.substr(dumped);
    return with_words(fmt::format("importing torch did not end within {} s", patience.count()),
                      where_it_hung(dump, overlay));
  }
  const auto& ended = *imported.ended;
  return with_words(ended.signal != 0
                        ? fmt::format("importing torch ended the process by signal {}", ended.signal)
                        : fmt::format("importing torch ended the process with exit status {}", ended.status),
                    last_words(imported.output));
}

class Importer {
 public:
  Importer(const executor::BuiltWorker& worker, fs::path folder, const std::string& sandbox,
           std::chrono::seconds patience)
      : folder_(std::move(folder)), patience_(patience) {
    const auto installation = find_installation();
    config_.launcher = installation.launcher;
    config_.python = worker.python;
    config_.module = worker.folder;
    config_.worker_sources = installation.worker_sources() / "importing";
    config_.sandbox = sandbox;
  }

  /// Imports the modules with these packages before the installed ones; empty: only those. The errors by module, or
  /// how the process ended instead. Throws std::system_error if it cannot be started.
  [[nodiscard]] tl::expected<Failures, std::string> import(const std::vector<std::string>& modules,
                                                           const fs::path& overlay) {
    const fs::path scratch = folder_ / (overlay.empty() ? "import-without" : "import");
    config_.overlay = overlay;
    config_.shared_cache = folder_ / "import-cache";
    executor::Process process(executor::launch_options(config_, scratch, executor::Role::warm));
    process.write(nlohmann::json{{"modules", modules}, {"seconds", patience_.count()}}.dump() + "\n");
    const Imported imported = wait_for_import(process, Clock::now() + patience_ + kImportSlack);
    std::error_code ignored;
    fs::remove_all(scratch, ignored);
    fs::remove_all(config_.shared_cache, ignored);
    if (auto failures = failures_in(imported.answer)) return std::move(*failures);
    return tl::unexpected(how_it_ended(imported, patience_, overlay.string()));
  }

 private:
  fs::path folder_;
  std::chrono::seconds patience_;
  executor::GroupConfig config_;
};

std::string failure_text(const Failures::value_type& failure) { return failure.first + ": " + failure.second; }

}  // namespace

std::string module_of(const fs::path& file) {
  std::string module;
  const fs::path parts = file.parent_path() / file.stem();
  for (const fs::path& part : parts) {
    if (part != "__init__") module += (module.empty() ? "" : ".") + part.string();
  }
  return module;
}

OverlayImport import_overlay(const Overlay& overlay, const executor::BuiltWorker& worker, const fs::path& folder,
                             const std::string& sandbox, std::chrono::seconds patience) {
  std::vector<std::string> changed;
  for (const fs::path& file : overlay.changed) changed.push_back(module_of(file));
  std::vector<std::string> modules = changed;
  for (const fs::path& file : overlay.added) modules.push_back(module_of(file));
  try {
    Importer importer(worker, folder, sandbox, patience);
    const auto with = importer.import(modules, folder / "tree");
    if (with && with->empty()) return {};
    const auto without = importer.import(changed, {});
    if (!without) return {.failure = {}, .problem = "torch does not import without the change: " + without.error()};
    const auto is_core = [&](const auto& each) { return std::ranges::find(changed, each.first) == changed.end(); };
    const auto broken = std::ranges::find_if(*without, is_core);
    if (broken != without->end()) {
      return {.failure = {}, .problem = "torch does not import without the change: " + failure_text(*broken)};
    }
    if (!with) return {.failure = with.error(), .problem = {}};
    const auto failed = std::ranges::find_if(*with, [&](const auto& each) { return !without->contains(each.first); });
    return {.failure = failed == with->end() ? std::string() : failure_text(*failed), .problem = {}};
  } catch (const std::system_error& error) {
    return {.failure = {}, .problem = error.what()};
  }
}

}  // namespace parityd::agent
