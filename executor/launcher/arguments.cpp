#include "executor/launcher/arguments.h"

#include <array>
#include <string_view>
#include <utility>

namespace parityd::launcher {
namespace {

namespace fs = std::filesystem;

using Field = fs::path Arguments::*;
constexpr std::array<std::pair<std::string_view, Field>, 6> kFields{{{"--python", &Arguments::python},
                                                                     {"--scratch", &Arguments::scratch},
                                                                     {"--syntax", &Arguments::syntax},
                                                                     {"--module", &Arguments::module},
                                                                     {"--sources", &Arguments::sources},
                                                                     {"--cache", &Arguments::cache}}};

tl::unexpected<std::string> wrong(std::string message) { return tl::unexpected(std::move(message)); }

tl::expected<Arguments, std::string> checked(Arguments arguments) {
  for (const auto& [name, field] : kFields) {
    const bool for_workers = field == &Arguments::module || field == &Arguments::sources || field == &Arguments::cache;
    const bool needed = for_workers ? arguments.syntax.empty() : field != &Arguments::syntax;
    if (needed && (arguments.*field).empty()) {
      return wrong(std::string(name) + " is missing");
    }
    // The program is started in the scratch folder, so nothing may be relative to ours. A bare name is PATH's business.
    if (!(arguments.*field).empty() && !(field == &Arguments::python && !arguments.python.has_parent_path())) {
      arguments.*field = fs::absolute(arguments.*field);
    }
  }
  if (!fs::exists(arguments.script())) {
    return wrong("there is no " + arguments.script().string());
  }
  return arguments;
}

}  // namespace

tl::expected<Arguments, std::string> parse_arguments(std::span<char* const> arguments) {
  Arguments parsed;
  for (std::size_t index = 1; index < arguments.size(); ++index) {
    const std::string_view name = arguments[index];
    if (name == "--help" || name == "-h") {
      parsed.help = true;
      return parsed;
    }
    Field field = nullptr;
    for (const auto& [known, member] : kFields) {
      field = known == name ? member : field;
    }
    if (field == nullptr) {
      return wrong("unknown argument " + std::string(name));
    }
    if (++index == arguments.size() || *arguments[index] == '\0') {
      return wrong(std::string(name) + " needs a value");
    }
    parsed.*field = arguments[index];
  }
  return checked(std::move(parsed));
}

std::string usage() {
  return "usage: parityd-worker --python P --module DIR --sources DIR --scratch DIR --cache DIR\n"
         "       parityd-worker --syntax SCRIPT --python P --scratch DIR\n"
         "Runs Python in a sandbox with the worker protocol on standard input and output. parityd starts it; by hand "
         "it is\n"
         "useful only for looking into a worker that does not start.\n";
}

}  // namespace parityd::launcher
