// Lines and the functions that they belong to.
#include "agent/fixing/python_scopes.h"

#include "agent/fixing/line_diff.h"
#include "tests/catch.h"

using namespace parityd;

namespace {

/// The name of each line that ends with a mark: "x = 1  # cat" must belong to cat. `-`: to none.
void check(const std::string& text) {
  const agent::PythonScopes scopes(text);
  const auto lines = agent::lines_of(text);
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const auto mark = lines[at].find("@@");
    if (mark == std::string_view::npos) continue;
    std::string wanted(lines[at].substr(mark + 2));
    wanted.pop_back();
    CAPTURE(lines[at]);
    const auto* const scope = scopes.of(at);
    CHECK((scope == nullptr ? "-" : scope->name) == wanted);
  }
}

}  // namespace

TEST_CASE("lines belong to functions, methods, classes or the module") {
  check(R"(import torch  #@@<module>
# a comment @@-

def cat(a, b):  #@@cat
    x = 1  #@@cat
    # within @@-
    def inner():  #@@cat
        return x  #@@cat

    class Inside:  #@@cat
        def method(self):  #@@cat
            pass  #@@cat

    return x  #@@cat

table = {}  #@@<module>
if True:  #@@<module>
    async def late():  #@@late
        pass  #@@late
class Pointwise(Loops):  #@@Pointwise
    size = 1  #@@Pointwise

    def make_loader(self):  #@@Pointwise.make_loader
        return 1  #@@Pointwise.make_loader

    class Meta:  #@@Pointwise.Meta
        def run(self): pass  #@@Pointwise.Meta.run

    size = 2  #@@Pointwise
last = 1  #@@<module>
)");
}

TEST_CASE("text and signatures in the first column do not end a function") {
  check(R"(def template(
    a,  #@@template
):  #@@template
    text = """
class Kernel { #@@template
def fake(): '' @@template
"""  #@@template
    more = 'it\'s ( [ {' + r"\"  #@@template
    value = 1 + \
2  #@@template
    return (  # )
3)  #@@template

x = "# no comment ("  #@@<module>
y = 1  #@@<module>
)");
}

TEST_CASE("decorators belong to their function") {
  const std::string text =
      "@register(\n    aten.cat,\n)\n# why\n@other\ndef cat():\n    pass\n\n@third\nclass A:\n    @prop\n    def b(): "
      "pass\n"
      "def c(): pass\n";
  const agent::PythonScopes scopes(text);
  for (const std::size_t line : {0, 1, 2, 4, 5, 6}) CHECK(scopes.of(line)->name == "cat");
  CHECK(scopes.of(0)->decorators == "@register(\n    aten.cat,\n)\n@other\n");
  CHECK(scopes.of(8)->name == "A");
  CHECK(scopes.of(10)->name == "A.b");
  CHECK(scopes.of(10)->decorators == "    @prop\n");
  CHECK(scopes.of(12)->decorators.empty());
}

TEST_CASE("text that is not Python has scopes, too") {
  for (const std::string& text : {std::string(), std::string(")))\n"), std::string("'\n\"\"\"\n"), std::string("\\"),
                                  std::string("@\n@\n@"), std::string("def \nclass :\n"), std::string("\0\0\n", 3)}) {
    const agent::PythonScopes scopes(text);
    static_cast<void>(scopes.of(0));
    CHECK(scopes.of(100) == nullptr);
  }
}
