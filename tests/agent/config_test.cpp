#include "agent/config.h"

#include <cstdlib>

#include "tests/catch.h"

using namespace parityd::agent;

namespace {

constexpr const char* kProvider = R"([provider.api]
base_url = "https://api.example.com/v1"
model = "m"
price = { input = 1, output = 2 }
)";

ConfigErrors errors(const std::string& text) {
  const auto config = parse_config(text, "c.toml");
  return config ? ConfigErrors{} : config.error();
}

struct Row {
  std::string text;
  std::string error;
};

}  // namespace

TEST_CASE("the empty configuration is the builtin provider under a cap of five dollars a day") {
  const auto config = parse_config("", {});
  REQUIRE(config);
  CHECK(config->run_providers == std::vector<ProviderShare>{{.name = "builtin", .weight = 1}});
  CHECK(config->providers.at("builtin").kind == "builtin");
  CHECK(config->dollars_per_day == 5);
  CHECK_FALSE(config->dollars_per_day_given);
  CHECK(config->modes.at("inductor") == 55);
  CHECK(config->repair_rounds == 3);
}

TEST_CASE("invalid TOML is an error with its line and does not end the daemon") {
  for (const char* text : {"[[[", "[=]", "[[ #", "a.=1", "= 1", "[a]]", "a = [[[[", "a = {b", "\"", "a = 1e"}) {
    CAPTURE(text);
    const auto found = errors(std::string("# one\n") + text);
    REQUIRE(found.size() == 1);
    CHECK(found[0].starts_with("c.toml:2: "));
  }
}

TEST_CASE("each key is stored in its setting") {
  const auto config = parse_config(R"(
[run]
provider = "api"
seed = 7
repair_rounds = 1
mutant_share = 0.25
[executor]
python = "/opt/venv/bin/python"
device = "cpu"
workers = 3
fork_parents = 2
launch = ["srun", "-n1"]
cpu_share = 0.25
threads_share = 0.5
own_random_share = 0.25
programs_per_worker = 50
spares = 2
canary_every = 0
sandbox = "full"
compile_deadline_seconds = 60
program_deadline_seconds = 2.5
[modes]
inductor = 1
dynamic = 0
[oracle]
confirmation_rounds = 5
[budget]
dollars_per_hour = 0.5
dollars_per_day = 5
dollars_total = 200
[fix]
automatic = true
provider = "api"
dollars_per_day = 0.5
programs = 30
max_output_tokens = 9000
[prompts]
folders = ["/a", "/b"]
[provider.api]
base_url = "http://10.0.0.5:8000/v1"
allow_http = true
model = "m"
api_key_env = "KEY"
max_in_flight = 4
max_output_tokens = 1000
temperature = 1
connect_timeout_seconds = 2
total_timeout_seconds = 1.5
first_byte_timeout_seconds = 1
key_header = "api-key"
api_version = "2026-10-21"
record = "/tmp/cassette.jsonl"
price = { input = 1, cached_input = 0.1, cache_write = 1.25, output = 2, tiers = { flex = 0.5 } }
capabilities = { token_limit_field = "max_tokens", temperature = true, seed = true, reasoning_effort = "low", service_tier = "flex" }
)",
                                   "c.toml");
  REQUIRE(config);
  CHECK(config->seed == 7);
  CHECK(config->repair_rounds == 1);
  CHECK(config->mutant_share == 0.25);
  CHECK(config->python == "/opt/venv/bin/python");
  CHECK(config->device == "cpu");
  CHECK(config->workers == 3);
  CHECK(config->fork_parents == 2);
  CHECK(config->launch == std::vector<std::string>{"srun", "-n1"});
  CHECK(config->cpu_share == 0.25);
  CHECK(config->threads_share == 0.5);
  CHECK(config->own_random_share == 0.25);
  CHECK(config->programs_per_worker == 50);
  CHECK(config->spares == 2);
  CHECK(config->canary_every == 0);
  CHECK(config->sandbox == "full");
  CHECK(config->groups.empty());
  CHECK(config->compile_deadline_seconds == 60);
  CHECK(config->program_deadline_seconds == 2.5);
  CHECK(config->modes.at("inductor") == 1);
  CHECK(config->modes.at("dynamic") == 0);
  CHECK(config->modes.at("backward") == 15);
  CHECK(config->confirmation_rounds == 5);
  CHECK(config->dollars_per_hour == 0.5);
  CHECK(config->dollars_per_day_given);
  CHECK(config->dollars_total == 200);
  CHECK(config->fix ==
        FixConfig{
            .automatic = true, .provider = "api", .dollars_per_day = 0.5, .programs = 30, .max_output_tokens = 9000});
  CHECK(config->prompt_folders.size() == 2);
  const auto& api = config->providers.at("api");
  CHECK(api.kind == "chat");
  CHECK(api.allow_http);
  CHECK(api.api_key_env == "KEY");
  CHECK(api.max_in_flight == 4);
  CHECK(api.max_output_tokens == 1000);
  CHECK(api.temperature == 1.0);
  CHECK(api.total_timeout == std::chrono::milliseconds(1500));
  CHECK(api.connect_timeout == std::chrono::seconds(2));
  CHECK(api.first_byte_timeout == std::chrono::seconds(1));
  CHECK(api.key_header == "api-key");
  CHECK(api.api_version == "2026-10-21");
  CHECK(api.record == "/tmp/cassette.jsonl");
  CHECK(api.replay.empty());
  CHECK(api.price->cached_input == 0.1);
  CHECK(api.price->cache_write == 1.25);
  CHECK(api.price->tiers == std::map<std::string, double>{{"flex", 0.5}});
  CHECK(api.capabilities.token_limit_field == "max_tokens");
  CHECK(api.capabilities.temperature);
  CHECK(api.capabilities.seed);
  CHECK(api.capabilities.reasoning_effort == "low");
  CHECK(api.capabilities.service_tier == "flex");
}

TEST_CASE("a mistake is named with file, line and key") {
  const auto row = GENERATE(
      Row{"[run]\nprovder = \"x\"", "c.toml:2: run.provder: no such key; did you mean provider?"},
      Row{"[run]\ncompletely_else = 1",
          "c.toml:2: run.completely_else: no such key; there are provider, seed, repair_rounds, mutant_share"},
      Row{"\n[exector]\nworkers = 1", "c.toml:2: exector: no such key; did you mean executor?"},
      Row{"run = 3", "c.toml:1: run: expected a table"},
      Row{"[run]\nseed = \"1\"", "c.toml:2: run.seed: expected a whole number"},
      Row{"[run]\nseed = 1.5", "c.toml:2: run.seed: expected a whole number"},
      Row{"[run]\nseed = -1", "c.toml:2: run.seed: -1 is out of range: expected 0 to 9e+18"},
      Row{"[executor]\nworkers = 9223372036854775807",
          "c.toml:2: executor.workers: 9.22337e+18 is out of range: expected 0 to 256"},
      Row{"[run]\nrepair_rounds = 4", "c.toml:2: run.repair_rounds: 4 is out of range: expected 0 to 3"},
      Row{"[run]\nprovider = \"nobody\"",
          "c.toml:2: run.provider: there is no [provider.nobody]; expected a configured one, builtin, bred or none"},
      Row{"[run]\nprovider = [\"builtin\", \"nobody\"]",
          "c.toml:2: run.provider: there is no [provider.nobody]; expected a configured one, builtin, bred or none"},
      Row{"[run]\nprovider = []", "c.toml:2: run.provider: is empty; use \"none\" to run only queued programs"},
      Row{"[run]\nprovider = 3", "c.toml:2: run.provider: expected a name or { name = \"…\", weight = … }"},
      Row{"[run]\nprovider = [{ name = \"builtin\", wait = 1 }]",
          "c.toml:2: run.provider.wait: no such key; there are name, weight"},
      Row{"[run]\nprovider = [{ name = \"builtin\", weight = -1 }]",
          "c.toml:2: run.provider.weight: -1 is out of range: expected 0 to 1e+06"},
      Row{"[executor]\ndevice = \"gpu\"", "c.toml:2: executor.device: \"gpu\" is not one of auto, cpu, cuda"},
      Row{"[executor]\nlaunch = \"srun\"", "c.toml:2: executor.launch: expected an array of strings"},
      Row{"[executor]\nlaunch = [1]", "c.toml:2: executor.launch: expected an array of strings"},
      Row{"[budget]\ndollars_per_day = nan",
          "c.toml:2: budget.dollars_per_day: nan is out of range: expected 0 to 1e+06"},
      Row{"[budget]\ndollars_per_day = \"5\"", "c.toml:2: budget.dollars_per_day: expected a number"},
      Row{"[modes]\ninductor=0\nbackward=0\ndynamic=0\nfullgraph=0\nmax_autotune=0\nreduce_overhead=0\n"
          "cpp_wrapper=0\nmemory_budget=0\nrecomputation=0\ncompiled_autograd=0\nunbacked=0\n"
          "freezing=0\nregions=0\ncall_threads=0\nfunctional=0\ncombo_kernels=0\neager_numerics=0\nautocast=0\n"
          "autocast_half=0\nexport=0\nexport_strict=0\nexport_decomposed=0\naot_inductor=0",
          "c.toml:2: modes.inductor: all weights are zero; expected at least one above zero"},
      Row{"[provider]\nx = 1", "c.toml:2: provider.x: expected a table [provider.NAME]"});
  CAPTURE(row.text);
  CHECK(errors(row.text) == ConfigErrors{row.error});
}

TEST_CASE("the keys of a provider are validated together") {
  const auto row = GENERATE(
      Row{"[provider.a]\nbase_url = \"https://h/v1\"\nprice = { input = 1, output = 1 }",
          "c.toml:1: provider.a.model: missing; expected the model's name in the API"},
      Row{"[provider.a]\nmodel = \"m\"",
          "c.toml:1: provider.a.base_url: missing; expected the API's base URL including its version, such as "
          "https://HOST/v1"},
      Row{"[provider.a]\nmodel = \"m\"\nbase_url = \"https://h/v1\"",
          "c.toml:1: provider.a.price: missing; the budget needs the price in dollars per million tokens (input, "
          "output)"},
      Row{std::string(kProvider) + "api_key_env = \"A\"\napi_key_file = \"B\"",
          "c.toml:6: provider.api.api_key_file: api_key_env is also set; keep one"},
      Row{"[provider.a]\nmodel = \"m\"\nbase_url = \"https://h/v1\"\nprice = { input = 1 }",
          "c.toml:4: provider.a.price.output: missing; expected dollars per million tokens"},
      Row{"[provider.a]\nmodel = \"m\"\nprice = { input = 1, output = 1 }\nbase_url = "
          "\"http://localhost.example.com/v1\"",
          "c.toml:4: provider.a.base_url: plain http to another machine; expected https://, or allow_http = true"},
      Row{"[provider.a]\nmodel = \"m\"\nprice = { input = 1, output = 1 }\nbase_url = \"ftp://h/v1\"",
          "c.toml:4: provider.a.base_url: expected an address that begins with https://"},
      Row{"[provider.a]\nmodel = \"m\"\nprice = { input = 1, output = 1 }\nbase_url = \"https://me:pw@h/v1\"",
          "c.toml:4: provider.a.base_url: contains a user name or password; put a key in api_key_env or api_key_file"},
      Row{std::string(kProvider) + "kind = \"claude\"",
          "c.toml:5: provider.api.kind: \"claude\" is not one of chat, anthropic, builtin, bred"},
      Row{std::string(kProvider) + "temperature = 3",
          "c.toml:5: provider.api.temperature: 3 is out of range: expected 0 to 2"},
      Row{std::string(kProvider) + "capabilities = { sed = true }",
          "c.toml:5: provider.api.capabilities.sed: no such key; did you mean seed?"},
      Row{std::string(kProvider) + "capabilities = { seed = 1 }",
          "c.toml:5: provider.api.capabilities.seed: expected true or false"});
  CAPTURE(row.text);
  CHECK(errors(row.text) == ConfigErrors{row.error});
}

TEST_CASE("several providers share the prompts by weight, builtin is the fallback unless it has a weight") {
  const auto shares = [](const std::string& value) {
    return parse_config(std::string(kProvider) + "[run]\nprovider = " + value, "c.toml")->run_providers;
  };
  using Shares = std::vector<ProviderShare>;
  CHECK(shares("\"api\"") == Shares{{"api", 1}});
  CHECK(shares("[\"api\", \"builtin\"]") == Shares{{"api", 1}, {"builtin", 0}});
  CHECK(shares("[{ name = \"api\", weight = 3 }, { name = \"builtin\", weight = 0.5 }]") ==
        Shares{{"api", 3}, {"builtin", 0.5}});
  CHECK(shares("[\"builtin\"]") == Shares{{"builtin", 1}});
  CHECK(shares("\"none\"").empty());
}

TEST_CASE("kind and tier of an API determine the defaults") {
  const auto parsed = [](const std::string& more) {
    return parse_config(std::string(kProvider) + more, "c.toml").value().providers.at("api");
  };
  CHECK(parsed("kind = \"anthropic\"").key_header == "x-api-key");
  CHECK(parsed("kind = \"anthropic\"\nkey_header = \"authorization\"").key_header == "authorization");
  CHECK(parsed("").first_byte_timeout == std::chrono::minutes(10));
  CHECK(parsed("total_timeout_seconds = 60").first_byte_timeout == std::chrono::minutes(1));
  const std::string flex = "capabilities = { service_tier = \"flex\" }\n";
  CHECK(parsed(flex).total_timeout == std::chrono::minutes(15));
  CHECK(parsed(flex + "total_timeout_seconds = 60").total_timeout == std::chrono::minutes(1));
  CHECK(parse_config("[provider.r]\nbase_url = \"https://h/v1\"\nmodel = \"m\"\nreplay = \"/c\"", "c.toml"));
  CHECK(errors(std::string(kProvider) + "record = \"/c\"\nreplay = \"/c\"").size() == 1);
}

TEST_CASE("a local server needs no price, and cached_input defaults to the price of input") {
  CHECK(parse_config("[provider.l]\nbase_url = \"http://127.0.0.1:8000/v1\"\nmodel = \"m\"", "c.toml"));
  CHECK(parse_config(kProvider, "c.toml")->providers.at("api").price->cached_input == 1);
  CHECK(parse_config("[run]\nprovider = \"none\"", "c.toml"));
  CHECK(parse_config("[provider.builtin]\nmax_in_flight = 2", "c.toml")->providers.at("builtin").kind == "builtin");
  CHECK(parse_config("[provider.bred]\nmax_in_flight = 2", "c.toml")->providers.at("bred").kind == "bred");
}

TEST_CASE("all mistakes are reported together, malformed TOML with its line") {
  CHECK(
      errors("[run]\nseed = true\nprovder = 1\n[executor]\nworkers = 999\n[oracle]\nconfirmation_rounds = 0").size() ==
      4);
  const auto broken = errors("[run]\nseed = = 1");
  REQUIRE(broken.size() == 1);
  CHECK(broken[0].starts_with("c.toml:2: "));
}

TEST_CASE("a missing configuration file is an error that names it") {
  const auto config = load_config("/nonexistent/parityd.toml");
  REQUIRE_FALSE(config);
  CHECK(config.error() == ConfigErrors{"/nonexistent/parityd.toml: cannot be read"});
}

TEST_CASE("the configuration file is found through XDG_CONFIG_HOME, else in the home folder") {
  setenv("XDG_CONFIG_HOME", "/x", 1);
  CHECK(default_config_file() == "/x/parityd/parityd.toml");
  setenv("XDG_CONFIG_HOME", "relative", 1);  // the specification says to ignore it
  setenv("HOME", "/h", 1);
  CHECK(default_config_file() == "/h/.config/parityd/parityd.toml");
}

TEST_CASE("changes are written by a model that the configuration knows, and only on request by default") {
  CHECK_FALSE(parse_config("", {})->fix.automatic);
  CHECK(errors("[fix]\nprovider = \"nobody\"") == ConfigErrors{"c.toml:2: fix.provider: there is no table "
                                                               "[provider.nobody]"});
  CHECK(errors("[fix]\nprovider = \"builtin\"") ==
        ConfigErrors{"c.toml:2: fix.provider: \"builtin\" asks no model; expected a [provider.NAME]"});
  CHECK(errors(std::string(kProvider) + "[fix]\nprovider = \"api\"\nautomatic = true").empty());
  CHECK(errors("[fix]\nautomatic = 1").size() == 1);
}

TEST_CASE("other torches are paths and none by default") {
  CHECK(parse_config("", "c.toml").value().newest_python.empty());
  CHECK(parse_config("", "c.toml").value().sentinel_sample == 200);
  const auto config = parse_config(R"([versions]
newest = "/opt/nightly/bin/python"
pythons = ["/opt/a/bin/python", "/opt/b/bin/python"]
sentinel_sample = 7
)",
                                   "c.toml")
                          .value();
  CHECK(config.newest_python == "/opt/nightly/bin/python");
  REQUIRE(config.version_pythons.size() == 2);
  CHECK(config.version_pythons[1] == "/opt/b/bin/python");
  CHECK(config.sentinel_sample == 7);
  const auto wrong = parse_config("[versions]\npythons = [\"\"]\nsentinel_sample = -1\n", "c.toml");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().size() == 2);
}
