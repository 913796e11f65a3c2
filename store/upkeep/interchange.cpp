#include "store/upkeep/interchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "oracle/json_read.h"
#include "oracle/names.h"

namespace parityd::store {
namespace {

constexpr std::string_view kFormat = "parityd";
constexpr std::size_t kLargestProgram = 256 << 10;  // the limit of the syntax process
constexpr int kDeepest = 100;                       // writing JSON takes a stack frame per level

using ReadLine = tl::expected<InterchangeLine, InterchangeError>;

tl::unexpected<InterchangeError> wrong(std::string message) {
  return tl::unexpected(InterchangeError{.message = std::move(message)});
}

ReadLine read_header(const nlohmann::json& line) {
  const auto& format = line["format"];
  if (format != kFormat) return wrong(fmt::format("its format is {}, not \"{}\"", format.dump(), kFormat));
  const auto version = line.value("version", nlohmann::json());
  if (!version.is_number_integer()) return wrong("has a format but no version");
  if (version > kInterchangeVersion) {
    return tl::unexpected(InterchangeError{
        .message = fmt::format("has version {}, but this parityd reads only up to {}; a newer parityd is needed",
                               version.get<std::int64_t>(), kInterchangeVersion),
        .newer_version = true});
  }
  return InterchangeLine{};
}

ReadLine read_program(const nlohmann::json& line, const char* key) {
  const auto text = line.find(key);
  if (text == line.end() || !text->is_string()) return wrong(fmt::format("has no text in \"{}\"", key));
  InterchangeLine read{.text = text->get<std::string>()};
  if (read.text.empty()) return wrong(fmt::format("\"{}\" is empty", key));
  if (read.text.size() > kLargestProgram) return wrong("its program is larger than 256 KiB");
  const auto options = line.find("options");
  if (options == line.end() || options->is_null()) return read;
  if (!options->is_object()) return wrong("its options are not an object");
  read.options_json = options->dump();
  return read;
}

nlohmann::json verdict_name(const std::optional<oracle::Verdict>& verdict) {
  return verdict ? nlohmann::json(oracle::name(verdict->verdict)) : nlohmann::json(nullptr);
}

}  // namespace

tl::expected<InterchangeLine, InterchangeError> interchange_line(std::string_view text) {
  if (text.size() > kLongestLine) return wrong("is longer than 16 MiB");
  int deepest = 0;
  const auto note_depth = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    deepest = std::max(deepest, depth);
    return true;
  };
  const auto line = nlohmann::json::parse(text, note_depth, false);
  if (line.is_discarded()) return wrong("is not JSON");
  if (deepest > kDeepest) return wrong(fmt::format("is nested more than {} levels deep", kDeepest));
  if (!line.is_object()) return wrong("is not a JSON object");
  if (line.contains("format")) return read_header(line);
  const auto record = line.value("record", nlohmann::json("program"));
  if (record == "program") return read_program(line, "program");
  if (record == "finding") return read_program(line, "reduced");
  return wrong(fmt::format("is an unknown record: {}", record.dump().substr(0, 60)));
}

nlohmann::json interchange_header(Millis at, std::string_view parityd_version) {
  return {{"format", kFormat}, {"version", kInterchangeVersion}, {"parityd", parityd_version}, {"exported_at", at}};
}

nlohmann::json interchange_program(const ProgramRow& program) {
  auto options = oracle::parsed_object(program.options_json);
  const bool inconsistent = program.verdict && program.verdict->kind;
  return {{"record", "program"},
          {"id", program.id},
          {"identity", program.identity},
          {"program", program.text},
          {"options", std::move(options)},
          {"origin", program.origin},
          {"source", program.source},
          {"strategy", program.strategy},
          {"state", name(program.state)},
          {"verdict", verdict_name(program.verdict)},
          {"kind", inconsistent ? nlohmann::json(oracle::name(*program.verdict->kind)) : nlohmann::json(nullptr)},
          {"rule", program.verdict ? nlohmann::json(program.verdict->rule) : nlohmann::json(nullptr)},
          {"created_at", program.created_at}};
}

}  // namespace parityd::store
