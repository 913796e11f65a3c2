// The page's own files keep to its content security policy.
#include "agent/web/page_files.h"

#include <re2/re2.h>

#include <set>
#include <string>

#include "tests/catch.h"

namespace parityd::agent {

TEST_CASE("page: its files have no inline script or style, no markup made from text and no external resource") {
  const std::string forbidden =
      R"((?i)<script>|<style|\sstyle=|\son[a-z]+="|innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|//[a-z]+\.[a-z]+/[a-z]*\.(js|css)|@import|url\()";
  for (const auto& file : page_files()) {
    std::string found;
    CAPTURE(file.path);
    const std::string text(file.text);
    // dom.js says in a comment what there is none of.
    const std::string code = file.path == "/dom.js" ? text.substr(text.find('\n', text.find("refuse one"))) : text;
    CHECK_FALSE(RE2::PartialMatch(code, "(" + forbidden + ")", &found));
    CHECK(found.empty());
  }
}

TEST_CASE("page: every module that a file imports is one of its files") {
  std::set<std::string> paths;
  for (const auto& file : page_files()) paths.insert(std::string(file.path));
  CHECK(paths.contains("/"));
  for (const auto& file : page_files()) {
    re2::StringPiece rest(file.text.data(), file.text.size());
    for (std::string module; RE2::FindAndConsume(&rest, R"re((?:from|src=|href=) ?"(/[a-z.]+)")re", &module);) {
      CAPTURE(file.path, module);
      CHECK(paths.contains(module));
    }
  }
}

}  // namespace parityd::agent
