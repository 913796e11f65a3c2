// What the page is told, over a real database.
#include "agent/cli/page/page.h"

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.h"
#include "tests/store/a_try.h"
#include "tests/store/fixture.h"

namespace parityd::agent {
namespace {

using namespace parityd::tests;
using nlohmann::json;

constexpr store::Millis kNow = 1'000'000'000;

/// A database with one finding of one program, one reply and one event.
struct Scene {
  Scene() {
    store::Store store(folder.database(), store::Access::write);
    const auto reply = store.replies.reserve({.provider = "standin",
                                              .model = "m",
                                              .strategy = "dtypes",
                                              .purpose = store::ReplyPurpose::generate,
                                              .prompt = "the prompt"});
    store.replies.end({.id = reply, .state = store::ReplyState::answered, .text = "the reply", .prompt_tokens = 7});
    auto row = a_program("an identity that stays inside");
    row.reply = reply;
    program = added(store, row).id;
    finding = store.findings.add(a_finding(program, "hash"));
    store.groups.add_occurrence(finding, program, "first", kNow);
    store.drafts.set({.finding = finding, .title = "title", .body = "draft", .repro = "import torch\n"});
    store.events.add("info", "start", "began", kNow);
  }

  [[nodiscard]] PageFacts facts() const {
    return {.database = folder.database(), .version = "9", .settings = settings, .groups = {"cpu"}};
  }
  [[nodiscard]] PageAnswer get(const std::string& path, std::multimap<std::string, std::string> parameters = {}) const {
    return answer_page(facts(), {.method = "GET", .path = path, .parameters = std::move(parameters)}, kNow);
  }
  [[nodiscard]] json read(const std::string& path, std::multimap<std::string, std::string> parameters = {}) const {
    const auto answer = get(path, std::move(parameters));
    CAPTURE(path, answer.body);
    REQUIRE(answer.status == 200);
    return json::parse(answer.body);
  }
  [[nodiscard]] PageAnswer decide(const json& body) const {
    return answer_page(facts(), {.method = "POST", .path = "/api/triage", .body = body.dump(), .client = "127.0.0.1"},
                       kNow);
  }
  [[nodiscard]] std::vector<store::RequestRow> requests() const {
    return store::Store(folder.database(), store::Access::read).requests.pending();
  }

  Folder folder;
  std::shared_ptr<PageSettings> settings = std::make_shared<PageSettings>(Config{});
  store::Id program = 0, finding = 0;
};

}  // namespace

TEST_CASE("page: the overview shows the counts of the database") {
  const Scene scene;
  const auto overview = scene.read("/api/overview");
  CHECK(overview["counts"]["programs"] == 1);
  CHECK(overview["counts"]["replies"] == 1);
  CHECK(overview["findings"]["disposition"] == json{{"ready", 1}});
  CHECK(overview["findings_over_time"].back()["findings"] == 1);
  CHECK(overview["money"]["total"]["cap"].is_null());
  CHECK(overview["events"][0]["text"] == "began");
  CHECK(overview["condition"] == "running");
  CHECK(overview["alarms"].empty());
  CHECK(overview["money"]["days"].size() == 14);
  CHECK(overview["money"]["days"].back()["day"] == "1970-01-12");
}

TEST_CASE("page: a confirmed program is shown before it is a finding") {
  const Scene scene;
  CHECK(scene.read("/api/overview")["confirmed"] == json::array());
  {
    store::Store store(scene.folder.database(), store::Access::write);
    auto row = a_program("on its way");
    row.state = store::ProgramState::confirming;
    row.confirmation_hits = row.confirmation_rounds = 1;
    row.next_step = "reduce it";
    store.examinations.add(
        {.program = added(store, row).id,
         .purpose = store::Examination::confirmation,
         .round = 1,
         .verdict = {oracle::VerdictKind::inconsistent, oracle::Kind::gradient, "r", "it differs", {}}});
  }
  const auto overview = scene.read("/api/overview");
  REQUIRE(overview["confirmed"].size() == 1);
  CHECK(overview["confirmed"][0]["explanation"] == "it differs");
  CHECK(overview["confirmed"][0]["next_step"] == "reduce it");
  CHECK(overview["counts"]["confirmed"] == 1);
}

TEST_CASE("page: ready and new findings are to be filed, and a fault that holds is an alarm") {
  const Scene scene;
  {
    store::Store store(scene.folder.database(), store::Access::write);
    for (const char* disposition : {"held(edge)", "held(stride)", "ready"}) {
      auto row = a_finding(scene.program, disposition);
      row.disposition = oracle::disposition_from_text(disposition).value();
      store.findings.add(row);
    }
    store.alarms.count({.kind = store::EventKind::no_workers, .times = 3, .first_at = 1, .last_at = 2, .text = "why"});
    CHECK_FALSE(store.triage.decide({.finding = scene.finding, .status = "wontfix", .who = "me", .at = 5}));
  }
  const auto overview = scene.read("/api/overview");
  CHECK(overview["findings"]["to_file"] == 1);
  CHECK(overview["findings"]["disposition"] == json{{"ready", 2}, {"held", 2}});
  CHECK(overview["findings"]["status"] == json{{"new", 3}, {"wontfix", 1}});
  CHECK(overview["condition"] == "degraded");
  CHECK(overview["alarms"][0]["kind"] == "no_workers");
  CHECK(overview["alarms"][0]["text"] == "why");
}

TEST_CASE("page: caps are those of the latest reload") {
  const Scene scene;
  Config config;
  config.dollars_per_day = 7;
  scene.settings->set(config);
  CHECK(scene.read("/api/overview")["money"]["day"]["cap"] == 7.0);
}

TEST_CASE("page: the list accepts the filters of parityd findings") {
  const Scene scene;
  const auto found = [&](std::multimap<std::string, std::string> parameters) {
    return scene.read("/api/findings", std::move(parameters))["findings"].size();
  };
  CHECK(found({}) == 1);
  for (const auto& [name, value] : std::multimap<std::string, std::string>{{"kind", "numerical"},
                                                                           {"stage", "inductor"},
                                                                           {"disposition", "ready"},
                                                                           {"status", "new"},
                                                                           {"device", "cpu"},
                                                                           {"torch", "2.13"},
                                                                           {"search", "output differs"},
                                                                           {"search", "compiled"}}) {
    CAPTURE(name);
    CHECK(found({{name, value}}) == 1);
    CHECK(found({{name, "'; DROP TABLE findings; --"}}) == 0);
  }
  CHECK(scene.get("/api/findings", {{"since", "yesterday"}}).status == 400);
  CHECK(scene.get("/api/findings", {{"limit", "0"}}).status == 400);
  CHECK(scene.get("/api/findings", {{"limit", "9999999999999999999999"}}).status == 400);
  CHECK(found({{"search", "a\"* OR \xff"}}) == 0);
  CHECK(scene.get("/api/findings", {{"search", std::string("a\0b", 3)}}).status == 400);
}

TEST_CASE("page: all details of a finding are shown") {
  const Scene scene;
  const auto finding = scene.read("/api/findings/" + std::to_string(scene.finding));
  CHECK(finding["draft"].get<std::string>().find("draft") != std::string::npos);
  CHECK(finding["repro"] == "import torch\n");
  CHECK(finding["programs"][0]["program"] == scene.program);
  for (const auto* key : {"reduced", "rounds_shown", "numbers", "attribution", "extent_tried", "decisions", "known",
                          "versions", "sandbox", "next_step", "why"}) {
    CAPTURE(key);
    CHECK(finding.contains(key));
  }
}

TEST_CASE("page: changes of torch are shown with their checks, without the model's raw answer") {
  const Scene scene;
  const auto changes = [&] { return scene.read("/api/findings/" + std::to_string(scene.finding))["fixes"]; };
  CHECK(changes() == json::array());
  {
    store::Store store(scene.folder.database(), store::Access::write);
    store.fixes.keep(a_failed_try(scene.finding, 1'000));
    store.fixes.keep(a_try(scene.finding, 2'000));
  }
  const auto found = changes();
  REQUIRE(found.size() == 2);
  CHECK(found[0]["result"] == "breaks");
  CHECK(found[0]["checks"][1]["failing"].size() == 2);
  CHECK(found[1]["at"] == "1970-01-01 00:00:02");
  CHECK(found[1]["dollars"] == 0.04);
  CHECK(found[1]["diff"] == a_try(1).diff);
  CHECK_FALSE(found[1].contains("reply"));
  for (const auto* key : {"why", "provider", "model", "prompt_tokens", "completion_tokens", "seconds", "torch",
                          "device", "test", "changed_lines", "functions", "checks", "also_gone", "newest", "number"}) {
    CAPTURE(key);
    CHECK(found[1].contains(key));  // changes.js reads it
  }
}

TEST_CASE("page: the activity of the daemon is shown") {
  const Scene scene;
  CHECK(scene.read("/api/replies")[0]["prompt_tokens"] == 7);
  CHECK_FALSE(scene.read("/api/replies")[0].contains("text"));
  CHECK(scene.read("/api/replies/1")["text"] == "the reply");
  CHECK(scene.read("/api/replies/1")["prompt"] == "the prompt");
  CHECK(scene.read("/api/replies", {{"before", "1"}}).empty());
  CHECK(scene.read("/api/programs/" + std::to_string(scene.program))["text"] == "class Model: pass\n");
  CHECK(scene.read("/api/events")[0]["what"] == "start");
  CHECK(scene.read("/api/events", {{"before", "1"}}).empty());
  CHECK(scene.read("/api/strategies")["costs"][0]["strategy"] == "dtypes");
  CHECK(scene.read("/api/compiler")["areas"].empty());
  CHECK(scene.read("/api/compiler", {{"file", "none.py"}})["functions"].empty());
  CHECK(scene.read("/api/workers")["days"].size() == 14);
}

TEST_CASE("page: unknown addresses are refused") {
  const Scene scene;
  for (const auto* path :
       {"/index.html", "/page.js/", "/../parityd.db", "/..%2fparityd.db", "//", "/api", "/api/", "/api/findings/",
        "/api/findings/999", "/api/findings/-1", "/api/findings/1/", "/api/findings/1e3", "/api/findings/ 1",
        "/api/findings/99999999999999999999", "/api/replies/0", "/api/programs/x", "/etc/passwd", "", "/\xff\xfe"}) {
    CAPTURE(path);
    CHECK(scene.get(path).status == 404);
  }
}

TEST_CASE("page: a decision becomes a request that names its author") {
  const Scene scene;
  const auto answer = scene.decide({{"finding", scene.finding}, {"status", "wontfix"}, {"note", "no"}});
  CHECK(answer.status == 202);
  const auto requests = scene.requests();
  REQUIRE(requests.size() == 1);
  CHECK(requests[0].command == "triage");
  CHECK(requests[0].who == "page, 127.0.0.1");
  CHECK(json::parse(requests[0].arguments)["note"] == "no");
  const auto path = "/api/requests/" + std::to_string(requests[0].id);
  CHECK(scene.read(path)["result"].is_null());
  store::Store(scene.folder.database(), store::Access::write).requests.end(requests[0].id, "taken", kNow);
  CHECK(scene.read(path)["result"] == "taken");
}

TEST_CASE("page: an invalid decision is refused with the message of parityd triage") {
  const Scene scene;
  const std::string issue = "https://github.com/pytorch/pytorch/issues/1";
  for (const auto& [body, words] : std::vector<std::pair<json, std::string>>{
           {{{"finding", scene.finding}, {"status", "great"}}, "is not a status"},
           {{{"finding", scene.finding}, {"status", "filed"}, {"issue", issue}}, "filed needs --checked"},
           {{{"finding", scene.finding}, {"status", "known"}}, "known needs --issue"},
           {{{"finding", scene.finding}, {"status", "known"}, {"issue", "javascript:alert(1)"}}, "is not an issue"},
           {{{"finding", 99}, {"status", "new"}}, "there is no finding 99"},
           {{{"finding", "1"}, {"status", 7}}, "there is no finding 0"}}) {
    const auto answer = scene.decide(body);
    CAPTURE(answer.body);
    CHECK(answer.status == 422);
    CHECK(answer.body.find(words) != std::string::npos);
  }
  CHECK(scene.decide("text").status == 400);
  CHECK(scene.decide(json::array()).status == 400);
  CHECK(scene.requests().empty());
}

TEST_CASE("page: health follows the main loop") {
  const Scene scene;
  const auto health = [&](store::Millis said, store::Millis started) {
    store::Store(scene.folder.database(), store::Access::write)
        .values.set("workers", json{{"at", said}, {"groups", json::array()}}.dump());
    auto facts = scene.facts();
    facts.started = started;
    return answer_page(facts, {.method = "GET", .path = "/healthz"}, kNow).status;
  };
  CHECK(health(kNow - 10'000, 0) == 200);
  CHECK(health(kNow - 3'600'000, 0) == 503);
  CHECK(health(kNow - 3'600'000, kNow - 1'000) == 200);  // that was the daemon before
}

}  // namespace parityd::agent
