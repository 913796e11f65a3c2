#include "executor/launcher/arguments.h"

#include <array>
#include <string_view>
#include <utility>

namespace parityd::launcher {
namespace {

namespace fs = std::filesystem;

using Field = fs::path Arguments::*;
constexpr std::array<std::pair<std::string_view, Field>, 7> kFields{{{"--python", &Arguments::python},
                                                                     {"--scratch", &Arguments::scratch},
                                                                     {"--syntax", &Arguments::syntax},
                                                                     {"--module", &Arguments::module},
                                                                     {"--sources", &Arguments::sources},
                                                                     {"--cache", &Arguments::cache},
                                                                     {"--overlay", &Arguments::overlay}}};

tl::unexpected<std::string> wrong(std::string message) { return tl::unexpected(std::move(message)); }

bool needed(const Arguments& arguments, Field field) {
  if (arguments.probe || field == &Arguments::overlay) return false;
  const bool for_workers = field == &Arguments::module || field == &Arguments::sources || field == &Arguments::cache;
  return for_workers ? arguments.worker() : field != &Arguments::syntax;
}

tl::expected<Arguments, std::string> checked(Arguments arguments) {
  for (const auto& [name, field] : kFields) {
    fs::path& value = arguments.*field;
    if (needed(arguments, field) && value.empty()) return wrong(std::string(name) + " is missing");
    // The program starts in the scratch folder, so nothing may be relative to ours. A bare name is looked up in PATH.
    if (!value.empty() && !(field == &Arguments::python && !value.has_parent_path())) {
      value = fs::absolute(value).lexically_normal();
    }
  }
  if (!arguments.probe && !fs::exists(arguments.script())) return wrong("there is no " + arguments.script().string());
  return arguments;
}

/// Takes an argument without a value. False: it is not one.
bool take_flag(Arguments& arguments, std::string_view name) {
  if (name == "--help" || name == "-h") {
    arguments.help = true;
  } else if (name == "--probe") {
    arguments.probe = true;
  } else if (name == "--build-cache") {
    arguments.build_cache = true;
  } else if (name == "--fork-parent") {
    arguments.fork_parent = true;
  } else {
    return false;
  }
  return true;
}

/// Takes an argument with its value. Returns empty, or what is wrong.
std::string take_value(Arguments& arguments, std::string_view name, const char* value) {
  if (name == "--sandbox") {
    const auto level = level_of(value);
    if (!level) return std::string("--sandbox accepts auto, full, reduced and none, not ") + value;
    arguments.sandbox = *level;
    return {};
  }
  if (name == "--without") {
    const auto layer = layer_of(value);
    if (!layer) return std::string("there is no layer ") + value + ", only " + all_layer_names();
    arguments.without.push_back(*layer);
    return {};
  }
  for (const auto& [known, member] : kFields) {
    if (known == name) arguments.*member = value;
  }
  return {};
}

bool takes_value(std::string_view name) {
  bool known = name == "--sandbox" || name == "--without";
  for (const auto& [field, member] : kFields) known = known || field == name;
  return known;
}

}  // namespace

tl::expected<Arguments, std::string> parse_arguments(std::span<char* const> arguments) {
  Arguments parsed;
  for (std::size_t index = 1; index < arguments.size(); ++index) {
    const std::string_view name = arguments[index];
    if (take_flag(parsed, name)) continue;
    if (!takes_value(name)) return wrong("unknown argument " + std::string(name));
    if (++index == arguments.size() || *arguments[index] == '\0') return wrong(std::string(name) + " needs a value");
    if (auto error = take_value(parsed, name, arguments[index]); !error.empty()) return wrong(std::move(error));
  }
  if (parsed.help) return parsed;
  return checked(std::move(parsed));
}

std::string usage() {
  return "usage: parityd-worker [--sandbox auto|full|reduced|none] [--without LAYER]... [--build-cache | "
         "--fork-parent]\n"
         "                      --python P --module DIR --sources DIR --scratch DIR --cache DIR [--overlay DIR]\n"
         "       parityd-worker [--sandbox LEVEL] [--without LAYER]... --syntax SCRIPT --python P --scratch DIR\n"
         "       parityd-worker [--sandbox LEVEL] [--without LAYER]... --probe\n"
         "Run Python in a sandbox with the worker protocol on standard input and output. parityd starts it. By hand it "
         "is\n"
         "useful to debug a worker that does not start, and --probe prints which layers the machine allows.\n";
}

}  // namespace parityd::launcher
