#include "agent/cli/commands/shared_options.h"

#include "oracle/rules/excuses.h"

namespace parityd::agent {

CLI::Option* add_finding_option(CLI::App& command, store::Id& id, const std::string& more) {
  return command.add_option("id", id, "Finding, by its number in `parityd findings`" + more)->type_name("FINDING");
}

void add_without_option(CLI::App& command, std::vector<std::string>& names) {
  command.add_option("--without", names, "Judge without this excuse; may be repeated")
      ->check([](const std::string& name) {
        return oracle::is_excuse(name) ? std::string()
                                       : "there is no excuse " + name + "; `parityd check --list-excuses` lists them";
      })
      ->allow_extra_args(false);
}

CLI::Option* add_python_option(CLI::App& command, std::string& python, const std::string& help) {
  return command.add_option("--python", python, help)->type_name("PYTHON");
}

void add_device_option(CLI::App& command, std::string& device) {
  command.add_option("--device", device, "Device to run on: cpu, cuda or auto")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
}

void add_output_option(CLI::App& command, std::string& file) {
  command.add_option("--output,-o", file, "Write to this file")->type_name("FILE");
}

}  // namespace parityd::agent
