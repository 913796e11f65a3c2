#include "executor/syntax/source_client.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace parityd::executor {
namespace {

using nlohmann::json;

SourceFiles files_from(const json& answer) {
  return {.folder = answer.at("folder").get<std::string>(),
          .torch = answer.at("torch").get<std::string>(),
          .fingerprint = answer.at("fingerprint").get<std::string>(),
          .files = answer.at("files").get<std::vector<std::string>>()};
}

SourceUnit unit_from(const json& unit) {
  SourceUnit read{.place = {unit.at("file").get<std::string>(), unit.at("name").get<std::string>()},
                  .area = unit.at("area").get<std::string>(),
                  .first_line = unit.at("first").get<int>(),
                  .last_line = unit.at("last").get<int>(),
                  .code = unit.at("code").get<std::string>(),
                  .registers = unit.at("registers").get<std::vector<std::string>>(),
                  .operators = unit.at("operators").get<std::vector<std::string>>(),
                  .trivial = unit.at("trivial").get<bool>(),
                  .text = unit.at("text").get<std::string>()};
  for (const json& call : unit.at("calls")) {
    read.calls.push_back({call.at(0).get<std::string>(), call.at(1).get<std::string>()});
  }
  return read;
}

std::vector<SourceUnit> units_from(const json& answer) {
  std::vector<SourceUnit> read;
  for (const json& unit : answer.at("units")) read.push_back(unit_from(unit));
  return read;
}

std::map<std::string, EagerPromise> promises_from(const json& answer) {
  std::map<std::string, EagerPromise> read;
  for (const auto& [name, promise] : answer.at("promises").items()) {
    read[name] = {.schemas = promise.at("schemas").get<std::vector<std::string>>(),
                  .signature = promise.at("signature").get<std::string>(),
                  .docstring = promise.at("docstring").get<std::string>(),
                  .samples = promise.at("samples").get<std::string>()};
  }
  return read;
}

}  // namespace

SourceClient::SourceClient(SyntaxPlaces places, std::filesystem::path folder)
    : process_(std::move(places)), folder_(std::move(folder)) {}

void SourceClient::files(Done<SourceFiles> done) {
  process_.ask({{"op", "source_files"}, {"folder", folder_.string()}},
               answering<SourceFiles>(std::move(done), files_from));
}

void SourceClient::units(const std::string& file, Done<std::vector<SourceUnit>> done) {
  process_.ask({{"op", "source_units"}, {"folder", folder_.string()}, {"file", file}},
               answering<std::vector<SourceUnit>>(std::move(done), units_from));
}

void SourceClient::promises(const std::vector<std::string>& operators, Done<std::map<std::string, EagerPromise>> done) {
  process_.ask({{"op", "source_promises"}, {"folder", folder_.string()}, {"operators", operators}},
               answering<std::map<std::string, EagerPromise>>(std::move(done), promises_from));
}

}  // namespace parityd::executor
