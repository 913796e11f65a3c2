// What could be typed next, out of the command line's own tree.
#include <algorithm>
#include <sstream>

#include "tests/agent/cli/command.h"
#include "tests/catch.h"
#include "tests/store/facts.h"
#include "tests/store/fixture.h"

using namespace parityd;
using tests::contains;

namespace {

/// The words that `parityd complete -- WORDS` prints, and its directives.
std::vector<std::string> completed(std::vector<std::string> words) {
  words.insert(words.begin(), {"parityd", "complete", "--"});
  std::ostringstream out, err;
  CHECK(agent::run_command_line(words, out, err) == 0);
  CHECK(err.str().empty());
  std::vector<std::string> all;
  std::istringstream lines(out.str());
  for (std::string line; std::getline(lines, line);) all.push_back(line.substr(0, line.find('\t')));
  return all;
}

bool has(const std::vector<std::string>& all, const std::string& word) {
  return std::find(all.begin(), all.end(), word) != all.end();
}

using Words = std::vector<std::string>;

/// A state folder with two findings.
class Found {
 public:
  Found() {
    store::Store store(folder_.database(), store::Access::write);
    const auto program = tests::added(store, tests::finished(tests::a_program("a"), oracle::VerdictKind::inconsistent));
    (void)store.findings.add(tests::a_finding(program.id, "one"));
    (void)store.findings.add(tests::a_finding(program.id, "two"));
  }
  [[nodiscard]] std::string path() const { return folder_.path().string(); }

 private:
  tests::Folder folder_;
};

}  // namespace

TEST_CASE("commands, subcommands and options are completed from a prefix") {
  CHECK(completed({"fin"}) == Words{"findings"});
  CHECK(completed({"sta"}) == Words{"status", "stats"});
  CHECK(completed({"worker", ""}) == Words{"build", "list"});
  CHECK(completed({"findings", "--ki"}) == Words{"--kind"});
  CHECK(has(completed({""}), "completion"));
  CHECK_FALSE(has(completed({""}), "complete"));
  const auto options = completed({"run", "--"});
  CHECK(has(options, "--programs"));
  CHECK(has(options, "--state"));         // of every command
  CHECK_FALSE(has(options, "--behind"));  // hidden
  CHECK(std::count(options.begin(), options.end(), "--help") == 1);
  CHECK(completed({"frobnicate", "x"}).empty());
}

TEST_CASE("enumeration values are completed after a space and after an equals sign") {
  CHECK(completed({"findings", "--kind", "nu"}) == Words{"numerical"});
  CHECK(completed({"findings", "--kind=nu"}) == Words{"numerical"});
  CHECK(completed({"--state", "x", "run", "--device", ""}) == Words{"auto", "cpu", "cuda"});
  CHECK(completed({"completion", ""}) == Words{"bash", "zsh", "fish"});
  CHECK(completed({"findings", "--limit", ""}).empty());
}

TEST_CASE("file and folder arguments are left to the shell's completion") {
  CHECK(completed({"check", ""}) == Words{":files"});
  CHECK(completed({"check", "a.py", ""}) == Words{":files"});
  CHECK(completed({"--state", ""}) == Words{":folders"});
  CHECK(completed({"run", "--config", ""}) == Words{":files"});
}

TEST_CASE("finding numbers are completed with their titles from the state folder on the command line") {
  const Found found;
  const std::string state = found.path();
  CHECK(completed({"--state", state, "show", ""}) == Words{"1", "2"});
  CHECK(completed({"--state=" + state, "draft", "2"}) == Words{"2"});
  CHECK(completed({"show", "--state", state, ""}) == Words{"1", "2"});
  CHECK(completed({"--state", state, "show", "1", ""}).empty());
  CHECK(completed({"--state", "/nowhere", "show", ""}).empty());
}

TEST_CASE("each completion script asks the program and names no command itself") {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    CAPTURE(shell);
    const auto ran = tests::run_command("/nowhere", {"completion", shell});
    CHECK(ran.exit_code == 0);
    CHECK(contains(ran.out, "complete -- "));
    CHECK_FALSE(contains(ran.out, "findings"));
  }
  CHECK(tests::run_command("/nowhere", {"completion", "csh"}).exit_code == 2);
}
