#include "executor/protocol.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "oracle/finding/json.h"
#include "oracle/json_read.h"

namespace parityd::executor {
namespace {

using nlohmann::json;
using oracle::json_read::optional;
using oracle::json_read::require;
using oracle::json_read::require_name;
using oracle::json_read::required;

const json& object_of(const json& message, const char* key) {
  return oracle::json_read::object_of(require(message, key), key);
}

const json& objects_of(const json& message, const char* key) {
  const json& list = oracle::json_read::array_of(require(message, key), key);
  for (const json& each : list) oracle::json_read::object_of(each, key);
  return list;
}

Sandbox sandbox_of(const json& report) {
  Sandbox sandbox{.level = required<std::string>(report, "level"),
                  .layers = {},
                  .setup_milliseconds = required<double>(report, "setup_milliseconds")};
  for (const json& layer : objects_of(report, "layers")) {
    sandbox.layers.push_back({.name = required<std::string>(layer, "name"),
                              .on = required<bool>(layer, "on"),
                              .why = required<std::string>(layer, "why")});
  }
  return sandbox;
}

Health health_of(const json& report) {
  return {.resident_bytes = required<std::int64_t>(report, "resident_bytes"),
          .maps = required<std::int64_t>(report, "maps"),
          .gpu_bytes = required<std::int64_t>(report, "gpu_bytes"),
          .gpu_free_bytes = optional<std::int64_t>(report, "gpu_free_bytes"),
          .check_seconds = required<double>(report, "check_seconds")};
}

std::map<DeviceKind, std::string> device_names_of(const json& names) {
  std::map<DeviceKind, std::string> all;
  for (const auto& row : oracle::kDeviceRows) {
    const std::string key(row.name);
    if (names.contains(key)) all.emplace(oracle::device_named(key), required<std::string>(names, key.c_str()));
  }
  return all;
}

FromWorker hello(const json& message) {
  return Hello{.protocol = required<int>(message, "protocol"),
               .torch = required<std::string>(message, "torch"),
               .python = required<std::string>(message, "python"),
               .executable = required<std::string>(message, "executable"),
               .cuda = required<bool>(message, "cuda"),
               .device_names = device_names_of(object_of(message, "device_names")),
               .sandbox = sandbox_of(object_of(message, "sandbox"))};
}

Memory memory_of(const json& message) {
  if (!message.contains("memory")) return {};
  std::string changed = required<std::string>(message, "changed");
  return {.digest = required<std::string>(message, "memory"), .changed = changed == "0" ? "" : std::move(changed)};
}

FromWorker primed(const json& message) {
  return Primed{.seconds = required<double>(message, "seconds"),
                .memory = memory_of(message),
                .gpu_free_bytes = optional<std::int64_t>(message, "gpu_free_bytes")};
}

FromWorker beat(const json& /*message*/) { return Beat{}; }

FromWorker step(const json& message) {
  return StepStarted{.id = required<std::int64_t>(message, "id"),
                     .mode = require_name<oracle::Mode>(message, "mode"),
                     .step = require_name<oracle::Step>(message, "step")};
}

FromWorker result(const json& message) {
  return RunResult{.id = required<std::int64_t>(message, "id"),
                   .evidence = require(message, "evidence").get<oracle::Evidence>(),
                   .tainted = required<std::string>(message, "tainted"),
                   .health = health_of(object_of(message, "health")),
                   .values = optional<std::string>(message, "values").value_or("[]")};
}

FromWorker ended(const json& message) {
  return ChildEnded{.id = required<std::int64_t>(message, "id"),
                    .status = required<int>(message, "status"),
                    .signal = required<int>(message, "signal"),
                    .memory = memory_of(message)};
}

FromWorker inspected(const json& message) {
  return InspectResult{.id = required<std::int64_t>(message, "id"),
                       .failure = required<std::string>(message, "failure"),
                       .text = optional<std::string>(message, "text").value_or("")};
}

FromWorker screened(const json& message) {
  ScreenResult result{.id = required<std::int64_t>(message, "id"), .verdicts = {}, .composed = {}};
  for (const json& verdict : objects_of(message, "verdicts")) {
    result.verdicts.push_back(
        {.valid = required<bool>(verdict, "valid"), .error = required<std::string>(verdict, "error")});
  }
  result.composed = require(message, "composed").get<std::vector<std::string>>();
  return result;
}

FromWorker environment(const json& message) {
  EnvironmentResult result{.id = required<std::int64_t>(message, "id"), .text = required<std::string>(message, "text")};
  if (const auto features = message.find("features"); features != message.end()) features->get_to(result.features);
  return result;
}

FromWorker checked(const json& message) {
  return CheckResult{.id = required<std::int64_t>(message, "id"), .changed = required<std::string>(message, "changed")};
}

FromWorker error(const json& message) {
  return WorkerError{.id = required<std::int64_t>(message, "id"), .message = required<std::string>(message, "message")};
}

struct Decoder {
  std::string_view type;
  FromWorker (*decode)(const json&);
};
constexpr std::array<Decoder, 11> kDecoders{{{"hello", hello},
                                             {"primed", primed},
                                             {"beat", beat},
                                             {"step", step},
                                             {"result", result},
                                             {"inspected", inspected},
                                             {"screened", screened},
                                             {"ended", ended},
                                             {"environment", environment},
                                             {"checked", checked},
                                             {"error", error}}};

FromWorker decode_object(const json& message) {
  const std::string type = required<std::string>(message, "type");
  for (const auto& decoder : kDecoders) {
    if (decoder.type == type) {
      try {
        return decoder.decode(message);
      } catch (const json::exception& wrong) {
        throw Malformed(type + ": " + wrong.what());
      }
    }
  }
  throw Malformed("unknown type " + oracle::compact(json(type.substr(0, 60))));
}

/// Exactly as the worker's heartbeat writes it (worker/native/channel.cpp). Hundreds of workers send little else, so
/// these lines skip the parser.
constexpr std::string_view kBeatLine = R"({"type":"beat"})";

json encoded(const PrimeMessage& message) {
  return {{"type", "prime"}, {"device", name(message.device)}, {"fork_parent", message.fork_parent}};
}

json encoded(const RunMessage& message) {
  json modes = json::array();
  for (const auto mode : message.modes) modes.push_back(oracle::name(mode));
  return {{"type", "run"},
          {"id", message.id},
          {"program", message.program},
          {"file", message.file.string()},
          {"modes", std::move(modes)},
          {"choose_compiled", message.choose_compiled},
          {"device", name(message.device)},
          {"seed", message.seed},
          {"fresh", message.fresh},
          {"artefacts", message.artefacts.string()},
          {"values", message.values},
          {"compile_from", message.compile_from},
          {"known_forms", message.known_forms},
          {"neutralisers", message.neutralisers}};
}

json encoded(const InspectMessage& message) {
  json line = {{"type", "inspect"},
               {"id", message.id},
               {"program", message.program},
               {"file", message.file.string()},
               {"tool", message.tool},
               {"device", name(message.device)},
               {"seed", message.seed},
               {"seconds", message.seconds},
               {"output", message.output.string()}};
  if (message.place) {
    line["place"] = {{"file", message.place->file},
                     {"first_line", message.place->first_line},
                     {"last_line", message.place->last_line}};
  }
  if (!message.arguments.empty()) line["arguments"] = json::parse(message.arguments);
  return line;
}

json encoded(const ScreenMessage& message) {
  return {{"type", "screen"},
          {"id", message.id},
          {"programs", message.programs},
          {"compose", message.compose},
          {"file", message.file.string()},
          {"seed", message.seed},
          {"composing", message.composing}};
}

json encoded(const EnvironmentMessage& message) { return {{"type", "environment"}, {"id", message.id}}; }
json encoded(const ForkMessage& message) { return {{"type", "fork"}, {"id", message.id}}; }
json encoded(const CheckMessage& message) { return {{"type", "check"}, {"id", message.id}}; }
json encoded(const ShutdownMessage& /*message*/) { return {{"type", "shutdown"}}; }

}  // namespace

std::string Hello::device_name(DeviceKind kind) const {
  const auto found = device_names.find(kind);
  return found == device_names.end() ? "" : found->second;
}

std::string description(const Sandbox& sandbox) {
  std::vector<std::string> on, off;
  for (const auto& layer : sandbox.layers) {
    (layer.on ? on : off).push_back(layer.on ? layer.name : layer.name + " (" + layer.why + ")");
  }
  const std::string layers = on.empty() ? "no layer" : fmt::format("{}", fmt::join(on, ", "));
  return sandbox.level + ": " + layers + (off.empty() ? "" : fmt::format("; off: {}", fmt::join(off, ", ")));
}

std::string encode(const ToWorker& message) {
  const json object = std::visit([](const auto& one) { return encoded(one); }, message);
  return oracle::compact(object) + "\n";
}

tl::expected<FromWorker, std::string> decode(std::string_view line) {
  if (line == kBeatLine) return Beat{};
  try {
    const json message = json::parse(line);
    if (!message.is_object()) {
      return tl::unexpected(std::string("a message must be an object, not ") + message.type_name());
    }
    return decode_object(message);
  } catch (const json::exception& wrong) {
    return tl::unexpected(printable(std::string("no JSON: ") + wrong.what()));
  } catch (const Malformed& wrong) {
    return tl::unexpected(printable(wrong.what()));
  }
}

std::string printable(std::string reason) {
  constexpr std::size_t kLongest = 500;
  reason.resize(std::min(reason.size(), kLongest));
  std::ranges::replace_if(
      reason, [](unsigned char c) { return c < 0x20 || c >= 0x7F; }, '?');
  return reason;
}

}  // namespace parityd::executor
