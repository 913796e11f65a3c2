#include "executor/protocol.h"

#include <nlohmann/json.hpp>

#include "tests/catch.h"

using namespace parityd::executor;
using nlohmann::json;
using parityd::oracle::Mode;
using parityd::oracle::Step;

namespace {

json parsed(const ToWorker& message) {
  const std::string line = encode(message);
  REQUIRE(line.find('\n') == line.size() - 1);
  return json::parse(line);
}

template <class Message>
Message decoded(const std::string& line) {
  const auto message = decode(line);
  INFO((message ? std::string("another message") : message.error()));
  REQUIRE(message.has_value());
  REQUIRE(std::holds_alternative<Message>(*message));
  return std::get<Message>(*message);
}

}  // namespace

TEST_CASE("messages to the worker are encoded") {
  CHECK(parsed(PrimeMessage{.device = DeviceKind::cuda, .fork_parent = true}) ==
        json::parse(R"({"type": "prime", "device": "cuda", "fork_parent": true})"));
  CHECK(parsed(RunMessage{.id = 7,
                          .program = "a = \"b\"\n",
                          .file = "/s/p7.py",
                          .modes = {Mode::eager, Mode::inductor_fp64},
                          .choose_compiled = true,
                          .device = DeviceKind::cpu,
                          .seed = 18446744073709551615U,
                          .fresh = true,
                          .artefacts = "/a",
                          .neutralisers = {{parityd::oracle::NeutraliserKind::config, "inductor.cpp.simdlen", "1"},
                                           {parityd::oracle::NeutraliserKind::lowering, "aten.amin.default"}},
                          .values = true,
                          .compile_from = 3,
                          .known_forms = {4'503'599'627'370'495, 7}}) ==
        json::parse(R"({"type": "run", "id": 7, "program": "a = \"b\"\n", "file": "/s/p7.py",
          "modes": ["eager", "inductor_fp64"], "choose_compiled": true, "device": "cpu", "seed": 18446744073709551615,
          "fresh": true, "artefacts": "/a", "values": true, "compile_from": 3, "known_forms": [4503599627370495, 7],
          "neutralisers": [
            {"kind": "config", "name": "inductor.cpp.simdlen", "value": 1},
            {"kind": "lowering", "name": "aten.amin.default"}]})"));
  CHECK(parsed(ScreenMessage{
            .id = 3, .programs = {"a\n", "b\n"}, .compose = 2, .file = "/s/p.py", .seed = 9, .composing = 40}) ==
        json::parse(R"({"type": "screen", "id": 3, "programs": ["a\n", "b\n"], "compose": 2, "file": "/s/p.py",
          "seed": 9, "composing": 40})"));
  CHECK(parsed(EnvironmentMessage{.id = 2}) == json::parse(R"({"type": "environment", "id": 2})"));
  CHECK(parsed(ShutdownMessage{}) == json::parse(R"({"type": "shutdown"})"));
}

TEST_CASE("a program that is not UTF-8 is still encoded as a line of JSON") {
  CHECK(parsed(RunMessage{.program = "x = '\xff'\n"}).at("program").get<std::string>().find("x = '") == 0);
}

TEST_CASE("messages from the worker are decoded") {
  const auto hello = decoded<Hello>(R"({"type": "hello", "protocol": 1, "torch": "2.13.0", "python": "3.11.2",
    "executable": "/p", "cuda": true,
    "device_names": {"cpu": "Xeon", "cuda": "H200"}, "sandbox": {"level": "full", "setup_milliseconds": 4.5,
    "layers": [{"name": "pid", "on": true, "why": ""}, {"name": "user", "on": false, "why": "EPERM"}]}, "later": 1})");
  CHECK(hello.protocol == 1);
  CHECK(hello.cuda);
  CHECK(hello.device_name(DeviceKind::cpu) == "Xeon");
  CHECK(hello.device_name(DeviceKind::cuda) == "H200");
  CHECK(description(hello.sandbox) == "full: pid; off: user (EPERM)");
  CHECK(hello.sandbox.setup_milliseconds == 4.5);
  CHECK(decoded<Primed>(R"({"type": "primed", "seconds": 3})").seconds == 3);
  CHECK_FALSE(decoded<Primed>(R"({"type": "primed", "seconds": 3})").gpu_free_bytes.has_value());
  CHECK(decoded<Primed>(R"({"type": "primed", "seconds": 3, "gpu_free_bytes": 80})").gpu_free_bytes == 80);
  decoded<Beat>(R"({"type": "beat"})");
  decoded<Beat>(R"({"type":"beat"})");
  const auto step = decoded<StepStarted>(R"({"type": "step", "id": 3, "mode": "inductor", "step": "compile"})");
  CHECK(step.mode == Mode::inductor);
  CHECK(step.step == Step::compile);
  const auto ended = decoded<ChildEnded>(R"({"type": "ended", "id": 4, "status": 0, "signal": 11})");
  CHECK(ended.signal == 11);
  CHECK(decoded<EnvironmentResult>(R"({"type": "environment", "id": 6, "text": "t"})").text == "t");
  const auto screened = decoded<ScreenResult>(R"({"type": "screened", "id": 8, "composed": ["p"],
    "verdicts": [{"valid": true, "error": ""}, {"valid": false, "error": "RuntimeError: no"}]})");
  REQUIRE(screened.verdicts.size() == 2);
  CHECK(screened.verdicts[0].valid);
  CHECK(screened.verdicts[1].error == "RuntimeError: no");
  CHECK(screened.composed == std::vector<std::string>{"p"});
  CHECK(decoded<WorkerError>(R"({"type": "error", "id": 7, "message": "m"})").message == "m");
}

TEST_CASE("a result contains the oracle's evidence, NaN included") {
  const auto result = decoded<RunResult>(R"({"type": "result", "id": 9, "tainted": "t",
        "health": {"resident_bytes": 5, "maps": 6, "gpu_bytes": 7, "check_seconds": 0.5}, "evidence": {"compiled": "inductor",
    "outcomes": {"eager": {"kind": "ran", "step": "measure", "seconds": 0.5, "graphs": 0, "operators": []}},
    "measurements": [{"expected": "eager", "actual": "inductor", "leaves": [{"path": "output", "group": "output",
      "dtype": "float32", "elements": 4, "unequal": 1, "max_absolute": "inf", "rms_difference": "nan"}]}],
    "same": null, "same_detail": "", "warnings": []}})");
  CHECK(result.id == 9);
  CHECK(result.tainted == "t");
  CHECK(result.health.maps == 6);
  CHECK(result.evidence.ran(Mode::eager));
  const auto& leaf = result.evidence.measurements.at(0).leaves.at(0);
  CHECK(leaf.max_absolute > 1e308);
  CHECK(leaf.rms_difference != leaf.rms_difference);
}

TEST_CASE("an invalid message is refused with the reason") {
  struct Row {
    const char* line;
    const char* reason;
  };
  const auto row = GENERATE(
      Row{"", "no JSON"}, Row{"{", "no JSON"}, Row{"{\"type\": \"beat\"} x", "no JSON"}, Row{"\xff\xfe", "no JSON"},
      Row{"[]", "array"}, Row{"null", "null"}, Row{"{}", "'type' is missing"},
      Row{R"({"type": 3})", "'type' must be a string, not number"}, Row{R"({"type": "boo"})", "unknown type \"boo\""},
      Row{R"({"type": "primed"})", "'seconds' is missing"},
      Row{R"({"type": "primed", "seconds": "3"})", "'seconds' must be a number, not string"},
      Row{R"({"type": "ended", "id": "1", "status": 0, "signal": 0})", "'id' must be an integer, not string"},
      Row{R"({"type": "ended", "id": 1.0, "status": 0, "signal": 0})", "'id' must be an integer"},
      Row{R"({"type": "ended", "id": 1, "status": 4294967296, "signal": 0})", "'status' is too large"},
      Row{R"({"type": "ended", "id": 18446744073709551615, "status": 0, "signal": 0})", "'id' is too large"},
      Row{R"({"type": "ended", "id": 1, "status": 0, "signal": -4294967296})", "'signal' is too large"},
      Row{R"({"type": "screened", "id": 1, "verdicts": 3, "composed": []})", "'verdicts' must be an array"},
      Row{R"({"type": "screened", "id": 1, "verdicts": [], "composed": [7]})", "screened: "},
      Row{R"({"type": "step", "id": 1, "mode": "warp", "step": "compile"})", "'mode' has no value named 'warp'"},
      Row{R"({"type": "step", "id": 1, "mode": "eager", "step": "jump"})", "'step' has no value named 'jump'"},
      Row{R"({"type": "result", "id": 1, "evidence": [], "tainted": ""})", "result: "},
      Row{R"({"type": "result", "id": 1, "evidence": {"compiled": "inductor", "outcomes": 3}, "tainted": ""})",
          "outcomes"},
      Row{R"({"type": "hello", "protocol": 1, "torch": "", "python": "", "executable": "", "cuda": 0})",
          "'cuda' must be"},
      Row{R"({"type": "hello", "protocol": 1, "torch": "", "python": "", "executable": "", "cuda": false, "device_names": {},
         "sandbox": [1]})",
          "'sandbox' must be an object"},
      Row{R"({"type": "hello", "protocol": 1, "torch": "", "python": "", "executable": "", "cuda": false, "device_names": {},
         "sandbox": {"level": "full", "setup_milliseconds": 1, "layers": [1]}})",
          "'layers' must be an object"});
  CAPTURE(row.line);
  const auto message = decode(row.line);
  REQUIRE_FALSE(message.has_value());
  CAPTURE(message.error());
  CHECK(message.error().find(row.reason) != std::string::npos);
}

TEST_CASE("nesting of any depth is read or refused and never fatal") {
  CHECK_FALSE(decode(std::string(1'000'000, '[')).has_value());
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  CHECK(decode(R"({"type": "beat", "extra": )" + deep + "}").has_value());
}

TEST_CASE("device names are validated") {
  CHECK(parityd::oracle::from_name<DeviceKind>("cuda") == DeviceKind::cuda);
  CHECK(name(DeviceKind::cpu) == "cpu");
  CHECK_FALSE(parityd::oracle::from_name<DeviceKind>("tpu").has_value());
}
