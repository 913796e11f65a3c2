// parityd known: files and GitHub's list, against the stand-in; what it writes, and that it says what went wrong.
#include <SQLiteCpp/SQLiteCpp.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "agent/cli/commands/known_sync.h"
#include "agent/daemon/findings/known.h"
#include "agent/daemon/lock.h"
#include "agent/requests/request.h"
#include "tests/agent/cli/command.h"
#include "tests/agent/llm/stand_in.h"
#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;
using agent::test::StandIn;
using nlohmann::json;

namespace {

constexpr store::Millis kDay = 86'400'000;

class Place {
 public:
  explicit Place(const std::string& known = "") { write("parityd.toml", "[known]\nmax_age = \"36500d\"\n" + known); }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name, std::ios::binary) << text;
    return folder_.path() / name;
  }
  [[nodiscard]] Ran run(const std::vector<std::string>& words) const {
    return run_command(state(), words, folder_.path() / "parityd.toml");
  }
  [[nodiscard]] std::filesystem::path state() const { return folder_.path() / "state"; }
  [[nodiscard]] store::Store store() const { return {state() / "parityd.db", store::Access::read}; }
  [[nodiscard]] std::optional<store::KnownIssue> issue(int number) const {
    for (auto& issue : store().known.issues()) {
      if (issue.number == number) return issue;
    }
    return std::nullopt;
  }

 private:
  Folder folder_;
};

std::string line(int number, const std::string& state) {
  store::KnownIssue issue;
  issue.number = number;
  issue.title = "softmax of one element is wrong";
  issue.state = state;
  issue.operators = {"softmax"};
  issue.trait = "made_up";
  return store::known_issue_line(issue) + "\n";
}

json entry(int number, const std::string& title, const std::string& state = "open") {
  return {{"number", number}, {"title", title}, {"state", state}, {"labels", {{{"name", "oncall: pt2"}}}}};
}

std::string url_line(const StandIn& server) { return "url = \"" + server.base_url() + "\"\n"; }

}  // namespace

TEST_CASE("known import adds a file to the shipped facts") {
  const Place place;
  const auto file = place.write("more.jsonl", "{\"as_of\": \"2026-01-01\"}\n" + line(999'001, "open"));
  const auto ran = place.run({"known", "import", file});
  CAPTURE(ran.err);
  REQUIRE(ran.exit_code == 0);
  CHECK(contains(ran.out, "1 issues imported"));
  CHECK(place.issue(999'001)->operators == std::vector<std::string>{"softmax"});
  CHECK(place.issue(197'554));
}

TEST_CASE("known import of a malformed file imports nothing and names each bad line") {
  const Place place;
  const auto file = place.write("more.jsonl", line(999'001, "open") + "{}\nno json\n");
  const auto ran = place.run({"known", "import", file});
  CHECK(ran.exit_code == 2);
  CHECK(contains(ran.err, "line 2: \"number\" is not an issue number"));
  CHECK(contains(ran.err, "line 3: is not a JSON object"));
  CHECK_FALSE(std::filesystem::exists(place.state() / "parityd.db"));
  CHECK(place.run({"known", "import", "nowhere.jsonl"}).exit_code == 2);
  const auto ahead = place.write("ahead.jsonl", "{\"as_of\": \"2999-01-01\"}\n" + line(999'001, "open"));
  CHECK(contains(place.run({"known", "import", ahead}).err, "in the future"));
}

TEST_CASE("known import and the removal of stale findings succeed or fail together") {
  const Place place;
  REQUIRE(place.run({"known", "import", place.write("first.jsonl", line(999'001, "open"))}).exit_code == 0);
  {
    store::Store store(place.state() / "parityd.db", store::Access::write);
    auto finding = a_finding(added(store, a_program("a")).id, "one");
    finding.disposition = oracle::held("stale");
    (void)store.findings.add(finding);
    SQLite::Database(store.file().string(), SQLite::OPEN_READWRITE)
        .exec("CREATE TRIGGER stop BEFORE UPDATE ON findings BEGIN SELECT RAISE(ABORT, 'stopped'); END");
  }
  const auto file = place.write("second.jsonl", "{\"as_of\": \"2026-01-01\"}\n" + line(999'002, "open"));
  CHECK(place.run({"known", "import", file}).exit_code == 3);
  CHECK_FALSE(place.issue(999'002));
}

TEST_CASE("while a daemon runs known import leaves a request with all its rows") {
  const Place place;
  REQUIRE(place.run({"known", "import", place.write("first.jsonl", line(999'001, "open"))}).exit_code == 0);
  const auto lock = agent::DaemonLock::acquire(place.state());
  REQUIRE(lock);
  const auto ran = place.run({"known", "import", place.write("second.jsonl", line(999'002, "closed"))});
  CHECK(ran.exit_code == 0);
  CHECK(contains(ran.out, "the running daemon is taking them"));
  CHECK_FALSE(place.issue(999'002));
  const auto requests = place.store().requests.pending();
  REQUIRE(requests.size() == 1);
  CHECK(requests[0].command == "known");
  const auto request = agent::requests::read(requests[0]);
  REQUIRE(request);
  const auto* update = std::get_if<agent::requests::TakeKnown>(&*request);
  REQUIRE(update != nullptr);
  REQUIRE(update->issues.size() == 1);
  CHECK(update->issues[0].number == 999'002);
  CHECK(update->issues[0].state == "closed");
  CHECK_FALSE(update->as_of);
}

TEST_CASE("known sync queries each label page by page and stores only facts") {
  json first = json::array();
  for (int number = 990'000; number < 990'100; ++number) first.push_back(entry(number, "something"));
  json second = {entry(990'100, "[inductor] `torch.softmax` returns wrong gradient on CUDA @someone", "closed"),
                 entry(990'101, "a change")};
  second[1]["pull_request"] = json::object();
  const StandIn server({{{"match", "pt2&state=all"}, {"body", first.dump()}},
                        {{"match", "page=2"}, {"body", second.dump()}},
                        {{"match", "fuzzer"}, {"body", json{entry(197'554, "renamed", "closed")}.dump()}}});
  const Place place(url_line(server));
  const auto ran = place.run({"known", "sync"});
  CAPTURE(ran.err, ran.out);
  REQUIRE(ran.exit_code == 0);
  const auto found = place.issue(990'100);
  REQUIRE(found);
  CHECK(found->state == "closed");
  CHECK(found->kind == oracle::Kind::gradient);
  CHECK(found->device == "cuda");
  CHECK(found->operators == std::vector<std::string>{"softmax"});
  CHECK(place.issue(990'042));
  CHECK_FALSE(place.issue(990'101));
  CHECK(place.issue(197'554)->state == "closed");    // what GitHub says
  CHECK(place.issue(197'554)->trait == "umbrella");  // what the shipped facts say
  const auto requests = server.journal("request");
  REQUIRE(requests.size() == 4);
  for (const auto& request : requests) {
    CHECK(contains(request.at("path"), "state=all&since=20"));
    CHECK(request.at("token") == false);
  }
  CHECK(contains(requests[1].at("path"), "page=2"));
  CHECK(contains(requests[2].at("path"), "cpu%20inductor"));
}

TEST_CASE("known sync reports GitHub's error and changes nothing") {
  const auto refused = [](int status, const json& headers, const std::string& body = "{}") {
    const json rule{{"match", "issues"}, {"status", status}, {"headers", headers}, {"body", body}};
    const StandIn server(json::array({rule}));
    const Place place(url_line(server));
    const auto ran = place.run({"known", "sync"});
    CHECK(ran.exit_code == 3);
    CHECK_FALSE(std::filesystem::exists(place.state() / "parityd.db"));
    return ran.err;
  };
  const std::string limited = refused(403, {{"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "36000"}});
  CHECK(contains(
      limited, "rate limit is reached (status 403); it is reset at 10:00 UTC; the limit is much higher with a token"));
  CHECK(contains(refused(429, {{"Retry-After", "60"}}), "try again in 60 seconds"));
  CHECK(contains(refused(404, json::object()), "answered with status 404"));
  CHECK(contains(refused(200, json::object(), "<html>"), "not a list of issues"));
  CHECK(contains(refused(200, json::object(), R"([{"number": "x"}])"), "entry 1 of the answer is not an issue"));
}

TEST_CASE("the token is sent to GitHub and nowhere else") {
  const std::string token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  const StandIn server(json::array(), token);
  const auto with = [&](const std::string& given) {
    setenv("PARITYD_TEST_TOKEN", given.c_str(), 1);
    const Place place(url_line(server) + "token_env = \"PARITYD_TEST_TOKEN\"\n");
    auto ran = place.run({"known", "sync"});
    CHECK_FALSE(contains(ran.out + ran.err, given));
    return ran;
  };
  CHECK(with(token).exit_code == 0);
  CHECK(server.journal("request").front().at("token") == true);
  const auto wrong = with("ghp_wrong6789abcdefghijABCDEFGHIJ012345");
  CHECK(wrong.exit_code == 3);
  CHECK(contains(wrong.err, "rejected the token"));
}

TEST_CASE("a table with no date or an impossible date counts as too old and the message says what to do") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const std::chrono::seconds week = std::chrono::hours(7 * 24);
  CHECK(agent::known_is_stale(store, 0, week));
  CHECK(contains(agent::known_sentence(store, 0, week), "of unknown age"));
  store.known.put({}, store::KnownSource::facts, 100 * kDay);
  CHECK_FALSE(agent::known_is_stale(store, 107 * kDay, week));
  CHECK(agent::known_sentence(store, 101 * kDay, week) == "0 known issues as of 1970-04-11");
  CHECK(agent::known_is_stale(store, 107 * kDay + 1'000, week));
  CHECK(agent::known_is_stale(store, 98 * kDay, week));  // gathered tomorrow: nobody knows when
  const auto sentence = agent::known_sentence(store, 108 * kDay, week);
  CHECK(contains(sentence, "more than 7 days ago"));
  CHECK(contains(sentence, "parityd known sync"));
}
