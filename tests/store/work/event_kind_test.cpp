// The table of what can go wrong and the pages for the operator say the same.
#include "store/work/event_kind.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "tests/catch.h"

using namespace parityd;

namespace {

std::string page_text(const std::string& name) {
  std::ifstream page(PARITYD_SOURCE_DIR "/docs/" + name);
  REQUIRE(page.good());
  return {std::istreambuf_iterator<char>(page), {}};
}

/// Headings of the two pages with the number of words below each.
std::map<std::string, int> advice() {
  std::istringstream pages(page_text("events.md") + page_text("events-workers.md"));
  std::map<std::string, int> words;
  std::string line, heading;
  while (std::getline(pages, line)) {
    if (line.starts_with("#")) {
      heading = line.starts_with("## ") ? line.substr(3) : "";
      if (!heading.empty()) {
        CAPTURE(heading);
        CHECK(words.emplace(heading, 0).second);  // each once
      }
    } else if (!heading.empty()) {
      words[heading] += static_cast<int>(std::ranges::count(line, ' '));
    }
  }
  return words;
}

}  // namespace

TEST_CASE("every kind of fault has a heading with advice in docs/events*.md, and every heading a kind") {
  const auto page = advice();
  std::set<std::string> names;
  for (const auto& kind : store::event_kinds()) {
    names.emplace(kind.name);
    CAPTURE(kind.name);
    REQUIRE(page.contains(std::string(kind.name)));
    CHECK(page.at(std::string(kind.name)) >= 10);
  }
  CHECK(names.size() == store::event_kinds().size());
  for (const auto& [heading, words] : page) {
    CAPTURE(heading);
    CHECK(names.contains(heading));
  }
}

TEST_CASE("docs/troubleshooting.md leads to the heading of every kind of fault") {
  const std::string page = page_text("troubleshooting.md");
  for (const auto& kind : store::event_kinds()) {
    CAPTURE(kind.name);
    CHECK(page.find("#" + std::string(kind.name) + ")") != std::string::npos);
  }
}

TEST_CASE("the sentence of a kind is one clean line that includes the details") {
  for (const auto& kind : store::event_kinds()) {
    CAPTURE(kind.name);
    CHECK(store::event_kind_from_name(kind.name) == kind.kind);
    const std::string text = store::event_text(kind.kind, "/disk\nfull \x1b[31m" + std::string(9000, 'x'));
    CHECK(text.find("/disk full") != std::string::npos);
    CHECK(text.find_first_of("\n\x1b") == std::string::npos);
    CHECK(text.size() <= 510);
  }
  CHECK_FALSE(store::event_kind_from_name("nothing_of_the_kind").has_value());
}

TEST_CASE("every row of the fault table leads to a kind") {
  std::set<int> rows;
  for (const auto& kind : store::event_kinds()) {
    std::istringstream numbers{std::string(kind.faults)};
    for (int row = 0; numbers >> row;) {
      rows.insert(row);
    }
  }
  CHECK(rows.size() == 48);
  CHECK(*rows.begin() == 1);
  CHECK(*rows.rbegin() == 48);
}
