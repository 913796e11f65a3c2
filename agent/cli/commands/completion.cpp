// parityd completion SHELL, whose scripts call `parityd complete -- WORDS`.
#include "agent/cli/commands.h"
#include "agent/cli/completing.h"
#include "agent/cli/reading.h"

namespace parityd::agent {
namespace {

constexpr std::size_t kMostFindings = 200;

// The program is called with the words up to the cursor. Its answer has a line per word: the word, a tab, a
// description; or a line that begins with a colon, for what the shell completes itself. In bash, text after an = is a
// separate word.
constexpr const char* kBash = R"(# bash completion of parityd; in ~/.bashrc: source <(parityd completion bash)
_parityd() {
  local line=("${COMP_WORDS[@]:1:COMP_CWORD}") words=() word
  for word in "${line[@]}"; do
    if [ "${#words[@]}" -gt 0 ] && { [ "$word" = = ] || [[ "${words[-1]}" == --*= ]]; }; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    case $word in
      :files) compopt -o default ;;
      :folders) compopt -o dirnames ;;
      ?*) COMPREPLY+=("$word") ;;
    esac
  done < <("${COMP_WORDS[0]}" complete -- "${words[@]}" 2>/dev/null)
}
complete -F _parityd parityd
)";

constexpr const char* kZsh = R"(#compdef parityd
# zsh completion of parityd; a file named _parityd in a folder of $fpath, or: source <(parityd completion zsh)
_parityd() {
  local -a lines found
  local line word text
  lines=("${(@f)$(${words[1]} complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ $PREFIX == --*=* ]] && compset -P '*='
  for line in $lines; do
    word=${line%%$'\t'*} text=${line#*$'\t'}
    case $word in
      :files) _files ;;
      :folders) _files -/ ;;
      ?*) found+=("${word//:/\\:}:$text") ;;
    esac
  done
  (( $#found )) && _describe 'parityd' found
}
if [[ $funcstack[1] == _parityd ]]; then _parityd "$@"; else compdef _parityd parityd; fi
)";

constexpr const char* kFish =
    R"(# fish completion of parityd; ~/.config/fish/completions/parityd.fish, or: parityd completion fish | source
function __parityd_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] complete -- $words[2..-1] 2>/dev/null)
        set -l last $words[-1]
        switch $line
            case ':files*'
                __fish_complete_path $last
            case ':folders*'
                __fish_complete_directories $last
            case '*'
                if string match -q -- '--*=*' $last
                    echo (string replace -r '=.*' '=' -- $last)$line
                else
                    echo $line
                end
        end
    end
end
complete -c parityd -f -a '(__parityd_complete)'
)";

/// Findings as listed by `parityd findings`; an unreadable database completes nothing.
std::vector<Completion> findings_in(const std::string& state) {
  std::vector<Completion> all;
  try {
    const auto database = resolve_state_directory(state) / "parityd.db";
    if (!std::filesystem::exists(database)) return all;
    const store::Store store(database, store::Access::read);
    for (const auto& finding : store.findings.list({.limit = static_cast<int>(kMostFindings)})) {
      all.push_back({.word = std::to_string(finding.id), .text = finding.title});
    }
  } catch (const std::exception&) {
    all.clear();
  }
  return all;
}

}  // namespace

bool answer_completion(Context& context, const CLI::App& app) {
  const auto& all = context.arguments;
  if (all.size() < 3 || all[1] != "complete" || all[2] != "--") return false;
  const auto found = complete(app, {all.begin() + 3, all.end()}, findings_in);
  for (const auto& [word, text] : found.words) {
    context.out << fmt::format("{}\t{}\n", printable_line(word), printable_line(text));
  }
  if (found.files) context.out << ":files\t\n";
  if (found.folders) context.out << ":folders\t\n";
  return true;
}

std::string completion_script(const std::string& shell) {
  return shell == "bash" ? kBash : shell == "zsh" ? kZsh : shell == "fish" ? kFish : "";
}

void add_completion(CLI::App& app, Context& context) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print a script for shell completion.");
  command->add_option("shell", *shell, "The shell")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "The script asks parityd for commands, options, their values and findings, so it stays up to date.\n"
      "zsh: source <(parityd completion zsh), after compinit.");
  command->callback([&context, shell] { context.out << completion_script(*shell); });
}

}  // namespace parityd::agent
