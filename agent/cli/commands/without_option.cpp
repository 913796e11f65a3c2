#include "agent/cli/commands/without_option.h"

#include "oracle/rules/excuses.h"

namespace parityd::agent {

void add_without_option(CLI::App& command, std::vector<std::string>& names) {
  command.add_option("--without", names, "Judge as if there were no such excuse; may be repeated")
      ->check([](const std::string& name) {
        return oracle::is_excuse(name) ? std::string()
                                       : "no excuse is named " + name + ": see parityd check --list-excuses";
      })
      ->allow_extra_args(false);
}

}  // namespace parityd::agent
