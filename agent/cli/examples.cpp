#include "agent/cli/examples.h"

#include <functional>
#include <map>

namespace parityd::agent {

const std::vector<std::string>& examples_of(std::string_view command) {
  static const std::map<std::string, std::vector<std::string>, std::less<>> kExamples{
      {"run",
       {"parityd run", "parityd run --programs 24", "parityd run --for 8h --background",
        "parityd run --provider none --drain"}},
      {"status", {"parityd status", "parityd status --watch", "parityd status --watch --every 60 >> status.log"}},
      {"stop", {"parityd stop"}},
      {"import", {"parityd import my_model.py replies/*.md"}},
      {"check",
       {"parityd check my_model.py", "parityd check --explain --reduce my_model.py",
        "parityd check --json models/*.py"}},
      {"findings",
       {"parityd findings", "parityd findings --kind numerical --reach ordinary", "parityd findings --queue"}},
      {"show", {"parityd show 3"}},
      {"draft", {"parityd draft 3", "parityd draft 3 --output issue.md", "parityd draft --umbrella 197554"}},
      {"repro", {"parityd repro 3 --output repro.py"}},
      {"export", {"parityd export out", "parityd export 3 7 out"}},
      {"stats", {"parityd stats --since 7d", "parityd stats --coverage"}},
      {"triage",
       {"parityd triage 3 wontfix --note \"documented\"",
        "parityd triage 3 filed --issue https://github.com/pytorch/pytorch/issues/1 --checked \"on two machines\""}},
      {"merge", {"parityd merge 7 3 --note \"the same lowering\""}},
      {"split", {"parityd split 3 120 121 --note \"another operator\""}},
      {"undo", {"parityd undo"}},
      {"known sync", {"parityd known sync"}},
      {"known import", {"parityd known import issues.jsonl"}},
      {"notify", {"parityd notify 3"}},
      {"inspect", {"parityd inspect --list", "parityd inspect 3 --tool trace"}},
      {"recheck",
       {"parityd recheck", "parityd recheck 3 --python /opt/torch-nightly/bin/python",
        "parityd recheck 3 --group cpu"}},
      {"verify", {"parityd verify 3 --overlay my-fix"}},
      {"rejudge", {"parityd rejudge"}},
      {"cluster slurm",
       {"parityd cluster slurm --nodes 2 --gpus 4 --cores 64 > parityd.sbatch",
        "parityd cluster slurm --cores 32 --partition short --time 1:00:00 > parityd.sbatch"}},
      {"doctor", {"parityd doctor", "parityd doctor --self-test"}},
      {"backup", {"parityd backup copy.db", "parityd backup --restore copy.db"}},
      {"worker build", {"parityd worker build --python .venv/bin/python"}},
      {"worker list", {"parityd worker list"}},
      {"completion", {"source <(parityd completion bash)", "parityd completion fish | source"}},
  };
  static const std::vector<std::string> kNone;
  const auto found = kExamples.find(command);
  return found == kExamples.end() ? kNone : found->second;
}

}  // namespace parityd::agent
