// Differences by lines: read back by `git apply`, by `patch`, and compared with Python's difflib.
#include "agent/fixing/line_diff.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "tests/catch.h"
#include "tests/store/fixture.h"

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
  const auto pick = [&](unsigned below) { return random() % below; };
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
  const tests::Folder place;
  for (const auto& [before, after] : pairs()) {
    const std::string diff = agent::unified_diff("torch/x.py", before, after);
    CHECK(diff.empty() == (before == after));
    // Neither program reads a patch that creates or empties a file from such a header as `patch` would write it.
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
  check_applied("git", "GIT_CEILING_DIRECTORIES=$PWD/.. git apply --unidiff-zero diff");
}

TEST_CASE("patch accepts the diff") {
  if (!succeeds("patch --version >/dev/null 2>&1")) PARITYD_SKIP("patch is not installed");
  check_applied("patch", "patch --binary --no-backup-if-mismatch --fuzz=0 -p1 -s -i diff");
}

TEST_CASE("Python's difflib finds no smaller difference, and the same one for an edit of one place") {
  const tests::Folder place;
  const std::string script = R"(import difflib, sys
folder = sys.argv[1]
def lines(name):
    with open(f"{folder}/{name}", newline="") as file:
        text = file.read()
    return [line + "\n" for line in text.split("\n")[:-1]] + ([text.split("\n")[-1]] if text.split("\n")[-1] else [])
def told(before, after):
    for line in difflib.unified_diff(before, after, "a/x", "b/x"):
        yield line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
before, after, ours = lines("before"), lines("after"), lines("diff")
theirs = list("".join(told(before, after)).splitlines(keepends=True))
def size(diff):
    return sum(line[0] in "+-" and line[:3] not in ("+++", "---") for line in diff)
def ranges(line):
    return [(part + ",1").split(",")[:2] for part in line.split()[1:3]]
one = sum(line.startswith("@@") for line in theirs) <= 1 and size(theirs) == 1
assert size(ours) <= size(theirs), (ours, theirs)
if one and len(set(before)) == len(before):
    assert [ranges(l) if l[:2] == "@@" else l for l in ours] == [ranges(l) if l[:2] == "@@" else l for l in theirs]
)";
  write(place.path() / "compare.py", script);
  std::vector<Pair> cases = pairs();
  std::string numbers;
  for (int n = 0; n < 30; ++n) numbers += std::to_string(n) + "\n";
  for (const std::string& gone : {"\n0\n", "15\n", "\n29\n"}) {
    std::string less = "\n" + numbers;
    less.replace(less.find(gone), gone.size(), gone.starts_with('\n') ? "\n" : "");
    cases.push_back({numbers, less.substr(1)});
    cases.push_back({less.substr(1), numbers});
  }
  for (std::size_t at = 0; at<cases.size(); at += cases.size()> 40 && at + 10 < cases.size() ? 3 : 1) {
    write(place.path() / "before", cases[at].before);
    write(place.path() / "after", cases[at].after);
    write(place.path() / "diff", agent::unified_diff("x", cases[at].before, cases[at].after));
    CAPTURE(read(place.path() / "diff"));
    REQUIRE(succeeds("python3 " + (place.path() / "compare.py").string() + " " + place.path().string()));
  }
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
