#include "executor/protocol.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "executor/malformed.h"
#include "oracle/finding/json.h"

namespace parityd::executor {
namespace {

using nlohmann::json;

const json& member(const json& message, const char* key) {
  const auto found = message.find(key);
  if (found == message.end()) {
    throw Malformed(std::string("field '") + key + "' is missing");
  }
  return *found;
}

[[noreturn]] void mistyped(const char* key, const char* expected, const json& value) {
  throw Malformed(std::string("field '") + key + "' must be " + expected + ", not " + value.type_name());
}

std::string text_of(const json& message, const char* key) {
  const json& value = member(message, key);
  if (!value.is_string()) {
    mistyped(key, "a string", value);
  }
  return value.get<std::string>();
}

bool flag_of(const json& message, const char* key) {
  const json& value = member(message, key);
  if (!value.is_boolean()) {
    mistyped(key, "true or false", value);
  }
  return value.get<bool>();
}

template <class Integer>
Integer integer_of(const json& message, const char* key) {
  const json& value = member(message, key);
  if (!value.is_number_integer()) {
    mistyped(key, "an integer", value);
  }
  const bool too_large =
      value.is_number_unsigned()
          ? value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<Integer>::max())
          : value.get<std::int64_t>() < std::numeric_limits<Integer>::min();
  if (too_large) {
    throw Malformed(std::string("field '") + key + "' is out of range");
  }
  return value.get<Integer>();
}

std::optional<std::int64_t> optional_integer_of(const json& message, const char* key) {
  return message.contains(key) ? std::optional(integer_of<std::int64_t>(message, key)) : std::nullopt;
}

double number_of(const json& message, const char* key) {
  const json& value = member(message, key);
  if (!value.is_number()) {
    mistyped(key, "a number", value);
  }
  return value.get<double>();
}

const json& object_of(const json& message, const char* key) {
  const json& value = member(message, key);
  if (!value.is_object()) {
    mistyped(key, "an object", value);
  }
  return value;
}

template <class Named>
Named named(const json& message, const char* key, std::optional<Named> (*from_name)(std::string_view)) {
  const std::string text = text_of(message, key);
  const auto value = from_name(text);
  if (!value) {
    throw Malformed(std::string("field '") + key + "' is the unknown " +
                    json(text.substr(0, 60)).dump(-1, ' ', false, json::error_handler_t::replace));
  }
  return *value;
}

Sandbox sandbox_of(const json& report) {
  const json& layers = member(report, "layers");
  if (!layers.is_array()) {
    mistyped("layers", "a list of objects", layers);
  }
  Sandbox sandbox{
      .level = text_of(report, "level"), .layers = {}, .setup_milliseconds = number_of(report, "setup_milliseconds")};
  for (const json& layer : layers) {
    if (!layer.is_object()) {
      mistyped("layers", "a list of objects", layer);
    }
    sandbox.layers.push_back(
        {.name = text_of(layer, "name"), .on = flag_of(layer, "on"), .why = text_of(layer, "why")});
  }
  return sandbox;
}

Health health_of(const json& report) {
  return {.resident_bytes = integer_of<std::int64_t>(report, "resident_bytes"),
          .maps = integer_of<std::int64_t>(report, "maps"),
          .gpu_bytes = integer_of<std::int64_t>(report, "gpu_bytes"),
          .gpu_free_bytes = optional_integer_of(report, "gpu_free_bytes"),
          .check_seconds = number_of(report, "check_seconds")};
}

std::map<DeviceKind, std::string> device_names_of(const json& names) {
  std::map<DeviceKind, std::string> all;
  for (const char* const key : {"cpu", "cuda"}) {
    if (names.contains(key)) {
      all.emplace(device_from_name(key).value(), text_of(names, key));
    }
  }
  return all;
}

FromWorker hello(const json& message) {
  return Hello{.protocol = integer_of<int>(message, "protocol"),
               .torch = text_of(message, "torch"),
               .python = text_of(message, "python"),
               .executable = text_of(message, "executable"),
               .cuda = flag_of(message, "cuda"),
               .device_names = device_names_of(object_of(message, "device_names")),
               .sandbox = sandbox_of(object_of(message, "sandbox"))};
}

Memory memory_of(const json& message) {
  if (!message.contains("memory")) {
    return {};
  }
  std::string changed = text_of(message, "changed");
  return {.digest = text_of(message, "memory"), .changed = changed == "0" ? "" : std::move(changed)};
}

FromWorker primed(const json& message) {
  return Primed{.seconds = number_of(message, "seconds"),
                .memory = memory_of(message),
                .gpu_free_bytes = optional_integer_of(message, "gpu_free_bytes")};
}

FromWorker beat(const json& /*message*/) { return Beat{}; }

FromWorker step(const json& message) {
  return StepStarted{.id = integer_of<std::int64_t>(message, "id"),
                     .mode = named(message, "mode", oracle::mode_from_name),
                     .step = named(message, "step", oracle::step_from_name)};
}

FromWorker result(const json& message) {
  return RunResult{.id = integer_of<std::int64_t>(message, "id"),
                   .evidence = member(message, "evidence").get<oracle::Evidence>(),
                   .tainted = text_of(message, "tainted"),
                   .health = health_of(object_of(message, "health")),
                   .values = message.contains("values") ? text_of(message, "values") : "[]"};
}

FromWorker ended(const json& message) {
  return ChildEnded{.id = integer_of<std::int64_t>(message, "id"),
                    .status = integer_of<int>(message, "status"),
                    .signal = integer_of<int>(message, "signal"),
                    .memory = memory_of(message)};
}

FromWorker inspected(const json& message) {
  return InspectResult{.id = integer_of<std::int64_t>(message, "id"),
                       .failure = text_of(message, "failure"),
                       .text = message.contains("text") ? text_of(message, "text") : ""};
}

FromWorker screened(const json& message) {
  ScreenResult result{.id = integer_of<std::int64_t>(message, "id"), .verdicts = {}, .composed = {}};
  const json& verdicts = member(message, "verdicts");
  if (!verdicts.is_array()) {
    mistyped("verdicts", "a list of objects", verdicts);
  }
  for (const json& verdict : verdicts) {
    if (!verdict.is_object()) {
      mistyped("verdicts", "a list of objects", verdicts);
    }
    result.verdicts.push_back({.valid = flag_of(verdict, "valid"), .error = text_of(verdict, "error")});
  }
  result.composed = member(message, "composed").get<std::vector<std::string>>();
  return result;
}

FromWorker environment(const json& message) {
  EnvironmentResult result{.id = integer_of<std::int64_t>(message, "id"), .text = text_of(message, "text")};
  if (const auto features = message.find("features"); features != message.end()) features->get_to(result.features);
  return result;
}

FromWorker checked(const json& message) {
  return CheckResult{.id = integer_of<std::int64_t>(message, "id"), .changed = text_of(message, "changed")};
}

FromWorker error(const json& message) {
  return WorkerError{.id = integer_of<std::int64_t>(message, "id"), .message = text_of(message, "message")};
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
  const std::string type = text_of(message, "type");
  for (const auto& decoder : kDecoders) {
    if (decoder.type == type) {
      try {
        return decoder.decode(message);
      } catch (const Malformed& wrong) {
        throw Malformed(type + ": " + wrong.what());
      } catch (const json::exception& wrong) {
        throw Malformed(type + ": " + wrong.what());
      }
    }
  }
  throw Malformed("unknown type " + json(type.substr(0, 60)).dump(-1, ' ', false, json::error_handler_t::replace));
}

/// As the worker's heartbeat writes it (worker/native/channel.cpp). Hundreds of workers send little else: no parser for
/// these.
constexpr std::string_view kBeatLine = R"({"type":"beat"})";

json encoded(const PrimeMessage& message) {
  return {{"type", "prime"}, {"device", name(message.device)}, {"fork_parent", message.fork_parent}};
}

json encoded(const RunMessage& message) {
  json modes = json::array();
  for (const auto mode : message.modes) {
    modes.push_back(oracle::name(mode));
  }
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

std::string_view name(DeviceKind device) { return device == DeviceKind::cuda ? "cuda" : "cpu"; }

std::optional<DeviceKind> device_from_name(std::string_view text) {
  for (const auto device : {DeviceKind::cpu, DeviceKind::cuda}) {
    if (name(device) == text) {
      return device;
    }
  }
  return std::nullopt;
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
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

tl::expected<FromWorker, std::string> decode(std::string_view line) {
  if (line == kBeatLine) {
    return Beat{};
  }
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

}  // namespace parityd::executor
