// "Did you mean": commands, options and keys alike.
#include "agent/nearest.h"

#include "agent/config.h"
#include "tests/agent/cli/command.h"
#include "tests/catch.h"

using namespace parityd;
using tests::contains;
using tests::run_command;

TEST_CASE("nearest: changed, missing, extra or swapped letters are tolerated, other words are not") {
  const std::vector<std::string> known{"status", "stats", "stop", "findings", "draft"};
  for (const auto& [word, meant] : std::vector<std::pair<std::string, std::string>>{{"stauts", "status"},
                                                                                    {"finding", "findings"},
                                                                                    {"findngs", "findings"},
                                                                                    {"drafft", "draft"},
                                                                                    {"sop", "stop"}}) {
    CAPTURE(word);
    CHECK(agent::nearest(word, known) == meant);
  }
  for (const std::string word : {"export", "x", "zz", "reproduce"}) {
    CAPTURE(word);
    CHECK_FALSE(agent::nearest(word, known));
  }
  CHECK_FALSE(agent::nearest("x", {}));
}

TEST_CASE("misspelt commands and options suggest the right one and exit with 2") {
  for (const auto& [words, said] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"stauts"},
            "parityd: no such command: stauts; did you mean status?\n`parityd --help` lists the commands\n"},
           {{"worker", "biuld"}, "parityd worker: no such command: biuld; did you mean build?\n"},
           {{"findings", "--knid", "crash"}, "parityd findings: no such option: --knid; did you mean --kind?\n"},
           {{"findings", "--knid=crash"}, "did you mean --kind?"},
           {{"status", "--sate", "x"}, "did you mean --state?"},
           {{"frobnicate"}, "parityd: no such command: frobnicate\n"},
           {{"status", "now"}, "parityd status: unexpected argument: now\n"},
           {{}, "parityd: a command is required\n"},
           {{"worker"}, "parityd worker: a command is required\n"},
           {{"show"}, "parityd show: "}}) {
    const auto ran = run_command("/nowhere", words);
    CAPTURE(said, ran.err);
    CHECK(ran.exit_code == 2);
    CHECK(contains(ran.err, said));
    CHECK(ran.out.empty());
  }
}

TEST_CASE("a misspelt configuration key suggests the right one") {
  const auto config = agent::parse_config("[executor]\nwokrers = 2\n", "c.toml");
  REQUIRE_FALSE(config);
  CHECK(config.error().front() == "c.toml:2: executor.wokrers: no such key; did you mean workers?");
}
