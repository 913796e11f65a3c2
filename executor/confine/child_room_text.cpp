// The room as JSON (PARITYD_CHILDREN, docs/protocol.md).
#include <nlohmann/json.hpp>

#include "executor/confine/child_room.h"

namespace parityd::confine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json texts(const std::vector<fs::path>& paths) {
  json list = json::array();
  for (const fs::path& path : paths) {
    list.push_back(path.string());
  }
  return list;
}

std::vector<fs::path> paths_in(const json& list) {
  std::vector<fs::path> paths;
  for (const auto& text : list) {
    paths.emplace_back(text.get<std::string>());
  }
  return paths;
}

}  // namespace

std::string encode(const ChildRoom& room) {
  json object{{"hidden", room.hidden}, {"processes", room.processes}, {"user", room.user},
              {"filter", room.filter}, {"jobs", room.jobs.string()},  {"memory", json::array()}};
  for (const MemoryFolder& folder : room.memory) {
    object["memory"].push_back({folder.path.string(), folder.options});
  }
  if (room.paths) {
    object["paths"] = {{"read", texts(room.paths->read)},
                       {"write", texts(room.paths->write)},
                       {"devices", texts(room.paths->devices)}};
  }
  return object.dump();
}

ChildRoom decode_room(std::string_view text) {
  const json object = json::parse(text);
  ChildRoom room{.hidden = object.at("hidden"),
                 .processes = object.at("processes"),
                 .user = object.at("user"),
                 .paths = std::nullopt,
                 .filter = object.at("filter").get<std::vector<std::uint8_t>>(),
                 .jobs = object.at("jobs").get<std::string>(),
                 .memory = {}};
  for (const auto& folder : object.at("memory")) {
    room.memory.push_back({.path = folder.at(0).get<std::string>(), .options = folder.at(1).get<std::string>()});
  }
  if (const auto paths = object.find("paths"); paths != object.end()) {
    room.paths = {.read = paths_in(paths->at("read")),
                  .write = paths_in(paths->at("write")),
                  .devices = paths_in(paths->at("devices"))};
  }
  return room;
}

}  // namespace parityd::confine
