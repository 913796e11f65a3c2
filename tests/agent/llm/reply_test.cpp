// The program in a reply's text, or the class of the reply.
#include "agent/llm/reply.h"

#include <filesystem>

#include "tests/agent/llm/builders.h"
#include "tests/catch.h"

namespace parityd::agent {
namespace {

const std::string kImports = "import torch\n\n";
const std::string kModel = "class Model(torch.nn.Module):\n    def forward(self, x):\n        return x + 1\n";
const std::string kInputs = "def get_inputs():\n    return [torch.ones(3)]\n";
const std::string kProgram = kImports + kModel + "\n" + kInputs;

std::string fenced(const std::string& text, const std::string& language = "python", const std::string& fence = "```") {
  return fence + language + "\n" + text + fence + "\n";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string indented(const std::string& text) { return "   " + replaced(text, "\n", "\n   ") + "\n"; }

struct Case {
  const char* about;
  std::string reply;
  std::string program;
};

const std::vector<Case> kPrograms = {
    {"one block", fenced(kProgram), kProgram},
    {"prose around it", "Here you are:\n\n" + fenced(kProgram) + "\nHave fun.", kProgram},
    {"no language", fenced(kProgram, ""), kProgram},
    {"py", fenced(kProgram, "py"), kProgram},
    {"capitals", fenced(kProgram, "Python"), kProgram},
    {"an attribute after the language", fenced(kProgram, "python {.numberLines}"), kProgram},
    {"tildes", fenced(kProgram, "python", "~~~"), kProgram},
    {"a longer fence", fenced(kProgram, "python", "`````"), kProgram},
    {"a block in a list", "1. So:\n" + indented(fenced(kProgram)), kProgram},
    {"blocks in other languages before", fenced("pip install torch\n", "bash") + fenced(kProgram), kProgram},
    {"a fragment before", fenced("x = torch.ones(3)\n") + "All of it:\n" + fenced(kProgram), kProgram},
    {"a class alone before the whole", fenced(kModel) + "All of it:\n" + fenced(kProgram), kProgram},
    {"two programs: the first", fenced(kProgram) + fenced(kImports + "y = 2\n" + kModel + kInputs), kProgram},
    {"inputs in a block of their own", fenced(kImports + kModel) + "and\n" + fenced(kInputs), kProgram},
    {"a fence in a docstring", fenced(kImports + "\"\"\"\n```python\nx\n\"\"\"\n" + kModel + kInputs),
     kImports + "\"\"\"\n```python\nx\n\"\"\"\n" + kModel + kInputs},
    {"backticks inside tildes", fenced("# ```\n" + kProgram, "python", "~~~"), "# ```\n" + kProgram},
    {"thinking before",
     "<think>\nMaybe:\n" + fenced("class Wrong(Module): get_inputs\n") + "</think>\n" + fenced(kProgram), kProgram},
    {"thinking whose start the server cut off",
     fenced("class Wrong(Module): get_inputs\n") + "</think>" + fenced(kProgram), kProgram},
};

}  // namespace

TEST_CASE("the program is found wherever it stands in the reply") {
  for (const auto& each : kPrograms) {
    const auto found = extract_program(each.reply, Finish::stop);
    INFO(each.about << ":\n" << each.reply);
    CHECK(name(found.klass) == "program");
    CHECK(found.program == each.program);
    CHECK_FALSE(found.truncated);
  }
}

TEST_CASE("without a fence the text from the first line that can only be Python is salvaged") {
  for (const auto& [before, after] :
       {std::pair{"", ""}, std::pair{"Sure.\n\n", ""}, std::pair{"Here it is:\n", "That is all.\n"}}) {
    const auto found = extract_program(before + kProgram + after, Finish::stop);
    CHECK(found.klass == ReplyClass::program);
    CHECK(found.program == kProgram + after);
    CHECK(found.truncated);  // what follows the program may be prose
  }
}

TEST_CASE("text that only looks like Python becomes Python") {
  CHECK(extract_program(replaced(fenced(kProgram), "\n", "\r\n"), Finish::stop).program == kProgram);
  CHECK(extract_program("\xef\xbb\xbf" + kProgram, Finish::stop).program.find("class Model") != std::string::npos);
  const std::string session =
      ">>> import torch\n>>> class Model(torch.nn.Module):\n...     def forward(self, x):\n"
      "...         return x\n...\n>>> def get_inputs():\n...     return []\n";
  CHECK(extract_program(fenced(session, "pycon"), Finish::stop).program ==
        "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x\n\n"
        "def get_inputs():\n    return []\n");
  const std::string smart = kProgram + "A = \xe2\x80\x98x\xe2\x80\x99\xc2\xa0+ \xe2\x80\x9cy\xe2\x80\x9d\xe2\x80\x8b\n";
  CHECK(extract_program(fenced(smart), Finish::stop).program == kProgram + "A = 'x' + \"y\"\n");
}

TEST_CASE("an unclosed code block is salvaged as a program") {
  const auto found = extract_program("```python\n" + kProgram + "def more(", Finish::length);
  CHECK(found.klass == ReplyClass::program);
  CHECK(found.program == kProgram + "def more(\n");
  CHECK(found.truncated);
  CHECK(extract_program(kProgram + "def more(", Finish::length).truncated);
}

TEST_CASE("replies without a program are classified") {
  const auto klass = [](const std::string& reply, Finish finish = Finish::stop) {
    return std::string(name(extract_program(reply, finish).klass));
  };
  CHECK(klass("") == "empty");
  CHECK(klass(" \r\n\t\n") == "empty");
  CHECK(klass("<think>only thoughts</think>\n") == "empty");
  CHECK(klass("", Finish::length) == "incomplete");
  CHECK(klass("<think>never ended", Finish::length) == "incomplete");
  CHECK(klass(fenced(kProgram), Finish::refusal) == "refusal");
  CHECK(klass(fenced(kProgram), Finish::filter) == "refusal");
  CHECK(klass("I cannot help with that.") == "no_code");
  CHECK(klass("import taxes are high") == "no_code");
  CHECK(klass(fenced("SELECT 1;\n", "sql")) == "no_code");
  CHECK(klass(fenced("x = torch.ones(3)\n")) == "lacks_contract");
  CHECK(klass("```python\n" + kImports + kModel, Finish::length) == "incomplete");
}

TEST_CASE("hostile text is classified without a crash") {
  for (const auto& text :
       {std::string(100'000, '`'), std::string(100'000, '\n'), replaced(std::string(20'000, 'x'), "x", "<think>"),
        replaced(std::string(20'000, 'x'), "x", "```\n"), std::string("\0\xff\xfe```python\n\0", 14),
        std::string("~~~"), std::string("</think>"), std::string("```"), std::string(">>>")}) {
    CHECK_FALSE(name(extract_program(text, Finish::stop).klass) == "?");
    CHECK_FALSE(name(extract_program(text, Finish::length).klass) == "?");
  }
}

TEST_CASE("megabytes of one repeated piece are parsed in linear time") {
  const auto piece = GENERATE(as<std::string>{}, "\xe2\x80\x99", "```\n", "\n    ");
  CAPTURE(piece);
  std::string filling;
  while (filling.size() < (std::size_t{3} << 20)) {
    filling += piece;
  }
  CHECK(extract_program(filling, Finish::stop).klass != ReplyClass::program);
  CHECK(extract_program(fenced(kProgram + filling + "\n"), Finish::stop).klass == ReplyClass::program);
}

TEST_CASE("a program is extracted from every reply of the shipped corpus") {
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(PARITYD_SOURCE_DIR "/prompts/corpus")) {
    if (entry.path().extension() != ".md") {
      continue;
    }
    ++seen;
    const auto found = extract_program(testing::read_file(entry.path()), Finish::stop);
    INFO(entry.path().filename().string());
    CHECK(found.klass == ReplyClass::program);
    CHECK_FALSE(found.truncated);
    CHECK(found.program.find("get_inputs") != std::string::npos);
    CHECK(found.program.find("```") == std::string::npos);
  }
  CHECK(seen >= 64);
}

TEST_CASE("programs are extracted from the stand-in's fixture replies") {
  for (const char* file : {"invalid.md", "repaired.md", "wrong.md"}) {
    const auto text = testing::read_file(std::string(PARITYD_SOURCE_DIR "/tests/llm_server/matrix/") + file);
    CHECK(extract_program(text, Finish::stop).program.find("torch.mm(x1, inp)") != std::string::npos);
  }
}

}  // namespace parityd::agent
