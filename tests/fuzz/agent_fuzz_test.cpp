// The fuzzers' entry points without a fuzzer, the agent's side: what models, APIs, GitHub and the operator write.
#include "agent/config.h"
#include "store/findings/known_issues.h"
#include "tests/catch.h"
#include "tests/files.h"
#include "tests/fuzz/agent_entries.h"
#include "tests/fuzz/corpus.h"

namespace parityd::fuzz {

TEST_CASE("damaged replies contain a program or a reason why not") {
  feed_corpus("replies", feed_reply);
  feed_mutations("replies", 30'000, feed_reply, Shape::lines);
}

TEST_CASE("the corpus has valid configurations") {
  for (const auto& file : files("config")) {
    const auto config = agent::parse_config(tests::read_file(file), file);
    CAPTURE(file, config ? "" : config.error().front());
    CHECK(config.has_value() == (file.filename() != "mistakes" && file.filename() != "dotted"));
  }
}

TEST_CASE("a damaged configuration is accepted or its mistakes are reported") {
  feed_corpus("config", feed_config);
  feed_mutations("config", 10'000, feed_config, Shape::lines);
}

TEST_CASE("the corpus has valid known issues") {
  for (const auto& file : files("known")) {
    CAPTURE(file);
    CHECK(store::parse_known_issues(tests::read_file(file)).has_value() == (file.filename() != "mistakes"));
  }
}

TEST_CASE("a damaged file of known issues is accepted or its mistakes are reported") {
  feed_corpus("known", feed_known_issues);
  feed_mutations("known", 15'000, feed_known_issues, Shape::json);
}

TEST_CASE("a damaged page of GitHub's issues is accepted or refused") {
  feed_corpus("github", feed_github_page);
  feed_mutations("github", 20'000, feed_github_page, Shape::json);
}

TEST_CASE("a damaged answer of an API is a reply or a printable error") {
  feed_corpus("answers", feed_answer);
  feed_mutations("answers", 30'000, feed_answer, Shape::answer);
}

TEST_CASE("a first header that is a continuation changes no header of the previous answer") {
  Answers answers;
  for (int turn = 0; turn < 50; ++turn) {
    for (const char* name : {"rate_limited", "folded_first"}) {
      answers.feed(tests::read_file(folder("answers") / name));
    }
  }
  SUCCEED("libcurl lives");
}

TEST_CASE("a damaged answer received through a socket is a reply or a printable error") {
  Answers answers;
  feed_corpus("answers", [&](std::string_view bytes) { answers.feed(bytes); });
  feed_mutations(
      "answers", 5'000, [&](std::string_view bytes) { answers.feed(bytes); }, Shape::answer);
}

}  // namespace parityd::fuzz
