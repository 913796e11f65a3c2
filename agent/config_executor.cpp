#include "agent/config_tables.h"

#include <algorithm>
#include <string_view>

#include "oracle/device.h"

namespace parityd::agent {
namespace {

constexpr const char* kGroups = "executor.group";
constexpr int kMostWorkers = 256;
constexpr int kMostParents = 64;
constexpr std::size_t kLongestName = 32;

/// A group and its line in the file.
struct ReadGroup {
  WorkerGroup group;
  int line = 0;
};

/// The name is also used as a folder name and in tables.
bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == text.npos;
}

void read_launch(TableReader& reader, std::vector<std::string>& launch) {
  reader.texts("launch", launch);
  if (std::ranges::find(launch, "") != launch.end()) reader.mistake("launch", "contains an empty word");
}

/// Only one GPU is accepted: with a list all workers would run on its first one.
void read_gpu(TableReader& reader, WorkerGroup& group) {
  reader.text("gpu", group.gpu);
  if (group.gpu.find_first_of(", \t") != std::string::npos) {
    reader.mistake("gpu", R"(expected one GPU: its number in nvidia-smi, such as "0", or its UUID)");
  } else if (!group.gpu.empty() && row(oracle::device_named(group.device)).visible.empty()) {
    reader.mistake("gpu", fmt::format("does not apply to device = \"{}\"", group.device));
  }
}

/// `before`: the groups before it in the file.
ReadGroup read_group(const toml::table& table, ConfigReport report, const std::vector<ReadGroup>& before) {
  TableReader reader(&table, kGroups, report);
  WorkerGroup group;
  reader.text("name", group.name);
  constexpr auto kKinds = names(oracle::DeviceKind{});
  reader.text("device", group.device, {kKinds.begin(), kKinds.end()});
  reader.path("python", group.python);
  read_launch(reader, group.launch);
  read_gpu(reader, group);
  reader.number("workers", group.workers, 1, kMostWorkers);
  reader.number("fork_parents", group.fork_parents, 0, kMostParents);
  reader.number("share", group.share, 0.001, 1000);
  if (!reader.has("name")) {
    group.name = group.device;
  } else if (!is_name(group.name)) {
    reader.mistake("name", fmt::format("expected 1 to {} letters, digits, - and _", kLongestName));
  }
  const auto same = std::ranges::find_if(before, [&](const auto& other) { return other.group.name == group.name; });
  if (same != before.end()) {
    reader.mistake("name", fmt::format("the group in line {} is also called {}; give each group its own name",
                                       same->line, group.name));
  }
  return {.group = std::move(group), .line = static_cast<int>(table.source().begin.line)};
}

/// Each group has its own values of these keys; beside groups they would have no effect.
void check_replaced(TableReader& reader, int line_of_group) {
  for (const char* key : {"device", "workers", "fork_parents", "launch", "cpu_share"}) {
    if (reader.has(key)) {
      const bool moves = std::string_view(key) != "cpu_share";
      reader.mistake(key, fmt::format("does not apply together with the [[{}]] in line {}; {}", kGroups, line_of_group,
                                      moves ? "set it in each group" : "use the groups' share"));
    }
  }
}

}  // namespace

void read_executor(const toml::table* table, ConfigReport report, Config& config) {
  TableReader reader(table, "executor", report);
  reader.path("python", config.python);
  reader.text("device", config.device, {"auto", "cpu", "cuda"});
  reader.number("workers", config.workers, 0, kMostWorkers);
  reader.number("fork_parents", config.fork_parents, 0, kMostParents);
  read_launch(reader, config.launch);
  reader.number("cpu_share", config.cpu_share, 0, 0.9);
  reader.number("threads_share", config.threads_share, 0, 1);
  reader.number("own_random_share", config.own_random_share, 0, 1);
  reader.number("programs_per_worker", config.programs_per_worker, 1, 1e6);
  reader.number("spares", config.spares, 0, 16);
  reader.number("canary_every", config.canary_every, 0, 1e6);
  reader.text("sandbox", config.sandbox, {"auto", "full", "reduced", "none"});
  reader.number("compile_deadline_seconds", config.compile_deadline_seconds, 1, 86'400);
  reader.number("program_deadline_seconds", config.program_deadline_seconds, 1, 86'400);
  std::vector<ReadGroup> groups;
  for (const auto* group : reader.tables("group")) groups.push_back(read_group(*group, report, groups));
  if (!groups.empty()) check_replaced(reader, groups.front().line);
  for (auto& each : groups) config.groups.push_back(std::move(each.group));
}

}  // namespace parityd::agent
