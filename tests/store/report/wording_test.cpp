// A model's title and summary: only what the facts bear out stands.
#include "store/report/wording.h"

#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/store/report/golden_facts.h"

using namespace parityd;
using namespace parityd::tests;
using oracle::Kind;

namespace {

std::string facts() { return store::wording_facts(golden_facts(Kind::numerical)); }

std::string reply(const std::string& title, const std::string& summary) {
  return nlohmann::json{{"title", title}, {"summary", summary}}.dump();
}

/// Why the reply is refused; empty: it stands.
std::string why(const std::string& text) {
  const auto checked = store::checked_wording(text, facts());
  return checked ? "" : checked.error();
}
std::string why_summary(const std::string& summary) { return why(reply("softmax differs", summary)); }

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("facts are one JSON object with what was measured") {
  const auto json = nlohmann::json::parse(facts());
  CHECK(json.at("kind") == "numerical");
  CHECK(json.at("values").at(0).at("compiled") == "4.0");
  CHECK(json.at("values").at(0).at("place") == "output[0][0, 2]");
  CHECK(contains(json.at("program"), "torch.softmax"));
  CHECK(contains(json.at("vanishes_with"), "max_fusion_size"));
  auto long_one = golden_facts(Kind::behaviour);
  long_one.finding.reduced = std::string(50'000, 'p');
  CHECK(store::wording_facts(long_one).size() < 10'000);
}

TEST_CASE("what the facts bear out stands, fenced or with words around it") {
  const std::string good =
      reply("softmax: compiled returns 4.0 where eager returns 1",
            "2 of 4 elements differ, by at most 3. Two runs agree. `max_fusion_size = 1` makes it vanish. Where it is "
            "seen, torch 2.13.0 was used.");
  CHECK(why(good).empty());
  CHECK(why("Here it is:\n```json\n" + good + "\n```\n").empty());
  CHECK(store::checked_wording(good, facts())->title == "softmax: compiled returns 4.0 where eager returns 1");
}

TEST_CASE("an invented number, operator or name is refused, and said") {
  CHECK(contains(why_summary("It is off by 7."), "the number 7 "));
  CHECK(contains(why_summary("It is off by 3.5e-7."), "the number 3.5e-7 "));
  CHECK(contains(why_summary("Seen since torch 2.12.1."), "the number 2.12.1 "));
  CHECK(contains(why_summary("Seven elements differ."), "the number seven "));
  CHECK(contains(why_summary("The fault is in argmax."), "argmax is not"));
  CHECK(contains(why_summary("The fault is in conv2d."), "conv2d is not"));
  CHECK(contains(why_summary("The fault is in `view`."), "view is not"));
  CHECK(contains(why_summary("Set cpp.threads."), "cpp.threads is not"));
  CHECK(contains(why(reply("layer_norm differs", "It differs.")), "the title: layer_norm is not"));
}

TEST_CASE("links, mentions, references and markup are refused") {
  for (const char* const bad : {"See https://x.y", "See www.x", "Thanks @someone", "As in #1", "As in GH-1", "[x](y)",
                                "<b>x</b>", "two\nlines", "hidden \xe2\x80\xae text"}) {
    CAPTURE(bad);
    CHECK_FALSE(why_summary(bad).empty());
  }
}

TEST_CASE("form and length are kept") {
  CHECK_FALSE(why("no").empty());
  CHECK_FALSE(why("{\"title\": 1, \"summary\": \"x\"}").empty());
  CHECK_FALSE(why("{\"title\": \"x\"}").empty());
  CHECK_FALSE(why("}{").empty());
  CHECK(why(reply(std::string(100, 't'), "It differs.")).empty());
  CHECK(contains(why(reply(std::string(101, 't'), "It differs.")), "longer than 100"));
  CHECK(why_summary("A. B. C. D. E.").empty());
  CHECK(contains(why_summary("A. B. C. D. E. F."), "more than 5 sentences"));
  CHECK(contains(why_summary("A. B. C. D. E. F"), "more than 5 sentences"));
}

TEST_CASE("a draft with a model's words says whose they are, and keeps its stage") {
  auto facts = golden_facts(Kind::numerical);
  facts.words = store::DraftWords{
      .title = "softmax: compiled returns 4.0", .summary = "It *differs*.", .writer = "someone, a-model"};
  const auto draft = store::render_draft(facts, std::string(PARITYD_SOURCE_DIR) + "/store/draft.mustache", 5);
  CHECK(draft.title == "[inductor] softmax: compiled returns 4.0");
  CHECK(contains(draft.body, "It \\*differs\\*."));
  CHECK_FALSE(contains(draft.body, "other values than eager."));
  CHECK(contains(draft.body, "written by a model (`someone, a-model`)"));
}
