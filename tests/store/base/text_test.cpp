// Hostile text, made harmless.
#include "store/base/text.h"

#include "tests/catch.h"

using namespace parityd::store;

TEST_CASE("clean text has no control characters, no reordering and no broken UTF-8") {
  CHECK(clean_text("a\tb\n") == "a\tb\n");
  CHECK(clean_text("a\r\nb") == "a\nb");
  CHECK(clean_text("\x1b[31mred\x1b[0m") == "\xef\xbf\xbd[31mred\xef\xbf\xbd[0m");
  CHECK(clean_text("\x07\x08\x7f") == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(clean_text(std::string("a\0b", 3)) ==
        "a\xef\xbf\xbd"
        "b");
  CHECK(clean_text("\xc2\x9b"
                   "31m") ==
        "\xef\xbf\xbd"
        "31m");  // C1: a terminal's other escape
  CHECK(clean_text("\xe2\x80\xae"
                   "evil") ==
        "\xef\xbf\xbd"
        "evil");  // right-to-left override
  CHECK(clean_text("\xff\xfe") == "\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(clean_text("\xc0\xaf") == "\xef\xbf\xbd\xef\xbf\xbd");                  // overlong
  CHECK(clean_text("\xed\xa0\x80") == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");  // surrogate
  CHECK(clean_text("\xe2\x82") == "\xef\xbf\xbd\xef\xbf\xbd");                  // cut short
  CHECK(clean_text("grün → 🐛") == "grün → 🐛");
  CHECK(clean_line("  a \n\t b  ") == "a b");
}

TEST_CASE("text is cut between characters") {
  CHECK(shortened("äöü", 3) == "äöü");
  CHECK(shortened("äöüß", 3) == "äö…");
  CHECK(characters(shortened("🐛🐛🐛🐛", 2)) == 2);
}

TEST_CASE("no text can end its fence") {
  for (const std::string inside : {"plain", "```\nout", "`````", "~~~\n```python\n````"}) {
    CAPTURE(inside);
    const std::string block = fenced(inside, "text");
    const std::string fence = block.substr(0, block.find("text\n"));
    CHECK(fence.size() >= 3);
    CHECK(inside.find(fence) == std::string::npos);
    CHECK(block.ends_with("\n" + fence + "\n"));
  }
}

TEST_CASE("lines outside of fences leave out what any fence encloses") {
  const std::string text = "one\n" + fenced("# in\n```\n# in, too\n", "python") + "\ntwo `x`\n```text\nopen\n";
  std::vector<std::string> found;
  for (const auto& [at, line] : lines_outside_fences(text)) {
    CHECK(text.substr(at, line.size()) == line);
    found.emplace_back(line);
  }
  CHECK(found == std::vector<std::string>{"one", "", "two `x`"});
  CHECK(lines_outside_fences("").empty());
  CHECK(lines_outside_fences("\n").size() == 1);
  CHECK(lines_outside_fences("no end").front().text == "no end");
}

TEST_CASE("inline code has no back-tick and ends no table cell") {
  CHECK(inline_code("a`b|c\nd") == "`a'b\\|c d`");
  CHECK(inline_code("").empty());
}

TEST_CASE("prose has no markup, mention, reference or link") {
  const std::string text =
      prose("<b>@torvalds</b> see #123, GH-45, pytorch/pytorch#6, https://x.y/z, www.x.y, ![i](j) `c` *e*");
  CAPTURE(text);
  for (const std::string harmful : {"@t", "#1", "#6", "GH-4", "://x", "www.x"}) {
    CAPTURE(harmful);
    CHECK(text.find(harmful) == std::string::npos);
  }
  for (const std::string markup : {"<", ">", "`", "*", "[", "]", "!"}) {
    for (std::size_t at = text.find(markup); at != std::string::npos; at = text.find(markup, at + 1)) {
      CAPTURE(at);
      CHECK((at > 0 && text[at - 1] == '\\'));
    }
  }
  CHECK(prose("max_pool2d: 3.5 of 4") == "max\\_pool2d: 3.5 of 4");
}

TEST_CASE("a title is one plain line of limited length") {
  const std::string title = title_line("`x` @all\n#9 " + std::string(300, 'y'), 120);
  CHECK(characters(title) <= 120);
  CHECK(title.find('\n') == std::string::npos);
  CHECK(title.find('`') == std::string::npos);
  CHECK(title.find("@a") == std::string::npos);
  CHECK(title.find("#9") == std::string::npos);
}
