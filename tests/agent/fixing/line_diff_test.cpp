// Differences by lines: read back by `git apply`, by `patch`, and compared with Python's difflib.
#include "agent/fixing/line_diff.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "tests/catch.h"
#include "tests/files.h"

using namespace parityd;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool succeeds(const std::string& command) { return std::system(command.c_str()) == 0; }

struct Pair {
  std::string before, after;
};

/// Lines of few kinds, so that many are equal, and every kind of end.
std::vector<Pair> pairs() {
  std::mt19937 random(7);
  const auto pick = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
  std::vector<Pair> found = {{"", "a\n"}, {"a\n", ""},         {"a", "a\n"}, {"a\n", "a"},
                             {"a", "b"},  {"a\nb", "a\nb\nc"}, {"", "a"},    {"a\r\nb\r\n", "a\r\nc\r\n"}};
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> lines;
    for (unsigned n = pick(40); n > 0; --n) lines.push_back(std::string(1, static_cast<char>('a' + pick(6))));
    const auto text = [&] {
      std::string joined;
      for (const auto& line : lines) joined += line + (round % 5 == 0 ? "\r\n" : "\n");
      if (pick(3) == 0 && !joined.empty()) joined.pop_back();
      return joined;
    };
    Pair pair{.before = text(), .after = {}};
    for (unsigned n = pick(6); n > 0; --n) {
      const auto at = lines.begin() + static_cast<std::ptrdiff_t>(pick(static_cast<unsigned>(lines.size()) + 1));
      if (pick(2) == 0 || at == lines.end()) {
        lines.insert(at, "new" + std::to_string(pick(3)));
      } else {
        lines.erase(at);
      }
    }
    pair.after = text();
    found.push_back(pair);
  }
  return found;
}

void check_applied(const std::string& name, const std::string& command) {
  const tests::TemporaryFolder place;
  for (const auto& [before, after] : pairs()) {
    const std::string diff = agent::unified_diff("torch/x.py", before, after);
    CHECK(diff.empty() == (before == after));
    // A file that is created or emptied takes other headers; a patch of parityd does neither.
    if (before == after || before.empty() || after.empty()) continue;
    write(place.path() / "torch/x.py", before);
    write(place.path() / "diff", diff);
    CAPTURE(name, diff);
    REQUIRE(succeeds("cd " + place.path().string() + " && " + command + " >/dev/null"));
    REQUIRE(read(place.path() / "torch/x.py") == after);
  }
}

}  // namespace

TEST_CASE("git apply accepts the diff") {
  if (!succeeds("git --version >/dev/null 2>&1")) PARITYD_SKIP("git is not installed");
  check_applied("git", "GIT_CEILING_DIRECTORIES=$PWD/.. git apply diff");
}

TEST_CASE("patch accepts the diff") {
  if (!succeeds("patch --version >/dev/null 2>&1")) PARITYD_SKIP("patch is not installed");
  check_applied("patch", "patch --binary --no-backup-if-mismatch --fuzz=0 -p1 -s -i diff");
}

TEST_CASE("Python's difflib finds no smaller difference, and the same one where a single line changes") {
  const tests::TemporaryFolder place;
  write(place.path() / "compare.py", R"(import difflib, pathlib, sys
def lines(file):
    parts = file.read_bytes().decode().split("\n")
    return [part + "\n" for part in parts[:-1]] + [part for part in parts[-1:] if part]
def size(diff):
    return sum(line[0] in "+-" and line[:3] not in ("+++", "---") for line in diff)
def ranges(line):
    return [(part + ",1").split(",")[:2] for part in line.split()[1:3]] if line.startswith("@@") else line.rstrip("\n")
for case in pathlib.Path(sys.argv[1]).iterdir():
    before, after, ours = (lines(case / name) for name in ("before", "after", "diff"))
    ours = [line for line in ours if not line.startswith("\\ No newline")]
    theirs = list(difflib.unified_diff(before, after, "a/x", "b/x"))
    assert size(ours) <= size(theirs), (ours, theirs)
    if size(theirs) == 1 and len(set(before)) == len(before):
        assert [*map(ranges, ours)] == [*map(ranges, theirs)], (ours, theirs)
)");
  std::vector<Pair> cases = pairs();
  std::string numbers;
  for (int n = 0; n < 30; ++n) numbers += std::to_string(n) + "\n";
  for (const std::string gone : {"\n0\n", "\n15\n", "\n29\n"}) {
    std::string less = "\n" + numbers;
    less.erase(less.find(gone), gone.size() - 1);
    cases.push_back({numbers, less.substr(1)});
    cases.push_back({less.substr(1), numbers});
  }
  for (std::size_t at = 0; at < cases.size(); ++at) {
    const fs::path folder = place.path() / "cases" / std::to_string(at);
    write(folder / "before", cases[at].before);
    write(folder / "after", cases[at].after);
    write(folder / "diff", agent::unified_diff("x", cases[at].before, cases[at].after));
  }
  CHECK(succeeds("python3 " + (place.path() / "compare.py").string() + " " + (place.path() / "cases").string()));
}

TEST_CASE("distant changes are hunks of their own, with three lines of context") {
  std::string before;
  for (int n = 1; n <= 20; ++n) before += std::to_string(n) + "\n";
  std::string after = before;
  after.replace(after.find("2\n"), 2, "two\n");
  after.replace(after.find("19\n"), 3, "");
  CHECK(agent::unified_diff("torch/a.py", before, after) ==
        "--- a/torch/a.py\n+++ b/torch/a.py\n@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n@@ -16,5 +16,4 @@\n 16\n 17\n "
        "18\n"
        "-19\n 20\n");
}

TEST_CASE("texts with nothing in common are one hunk, whatever their size") {
  std::string before, after;
  for (int n = 0; n < 100'000; ++n) {
    before += "a" + std::to_string(n) + "\n";
    after += "b" + std::to_string(n) + "\n";
  }
  const auto hunks = agent::line_diff(agent::lines_of(before), agent::lines_of(after));
  REQUIRE(hunks.size() == 1);
  CHECK(hunks[0].before_count == 100'000);
  CHECK(hunks[0].after_count == 100'000);
}
