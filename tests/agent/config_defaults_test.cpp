// What the pages show as configuration is one, and what they call the defaults are the defaults.
#include <fstream>
#include <sstream>

#include "agent/config.h"
#include "tests/catch.h"
#include "tests/files.h"

using namespace parityd::agent;

namespace {

/// The first TOML block of a page.
Config shown_in(const std::string& page) {
  const std::string text = parityd::tests::read_file(PARITYD_SOURCE_DIR "/" + page);
  const auto mark = text.find("```toml\n");
  REQUIRE(mark != std::string::npos);
  const auto begin = mark + 8;
  const auto config = parse_config(text.substr(begin, text.find("```", begin) - begin), page);
  if (!config) {
    FAIL(config.error().front());
  }
  return *config;
}

}  // namespace

TEST_CASE("the README's configuration is valid") { CHECK(shown_in("README.md").providers.size() >= 2); }

TEST_CASE("docs/providers.md has a working table for each server that it names") {
  const Config config = shown_in("docs/providers.md");
  CHECK(config.run_providers == std::vector<ProviderShare>{{"openai", 2}, {"anthropic", 1}, {"builtin", 0}});
  CHECK(config.providers.size() == 11);
  CHECK(config.providers.at("openai-flex").total_timeout == std::chrono::minutes(15));
}

TEST_CASE("docs/configuration-example.md shows the defaults of the tables that are not a provider's") {
  const Config shown = shown_in("docs/configuration-example.md");
  const Config defaults = parse_config("", {}).value();
  CHECK(shown.run_providers == defaults.run_providers);
  CHECK(shown.seed == defaults.seed);
  CHECK(shown.repair_rounds == defaults.repair_rounds);
  CHECK(shown.mutant_share == defaults.mutant_share);
  CHECK(shown.python == defaults.python);
  CHECK(shown.device == defaults.device);
  CHECK(shown.workers == defaults.workers);
  CHECK(shown.fork_parents == defaults.fork_parents);
  CHECK(shown.launch == defaults.launch);
  CHECK(shown.cpu_share == defaults.cpu_share);
  CHECK(shown.threads_share == defaults.threads_share);
  CHECK(shown.own_random_share == defaults.own_random_share);
  CHECK(shown.programs_per_worker == defaults.programs_per_worker);
  CHECK(shown.spares == defaults.spares);
  CHECK(shown.canary_every == defaults.canary_every);
  CHECK(shown.sandbox == defaults.sandbox);
  CHECK(shown.groups.empty());
  CHECK(shown.compile_deadline_seconds == defaults.compile_deadline_seconds);
  CHECK(shown.program_deadline_seconds == defaults.program_deadline_seconds);
  CHECK(shown.modes == defaults.modes);
  CHECK(shown.confirmation_rounds == defaults.confirmation_rounds);
  CHECK(shown.confirm_share == defaults.confirm_share);
  CHECK(shown.compile_share == defaults.compile_share);
  CHECK(shown.compile_sample == defaults.compile_sample);
  CHECK(shown.step_over_share == defaults.step_over_share);
  CHECK(shown.reduction_seconds == defaults.reduction_seconds);
  CHECK(shown.drafts_per_day == defaults.drafts_per_day);
  CHECK(shown.dollars_per_hour == defaults.dollars_per_hour);
  CHECK(shown.dollars_per_day == defaults.dollars_per_day);
  CHECK(shown.dollars_total == defaults.dollars_total);
  CHECK(shown.fix == defaults.fix);
  CHECK(shown.disk_floor_mebibytes == defaults.disk_floor_mebibytes);
  CHECK(shown.disk_cap_mebibytes == defaults.disk_cap_mebibytes);
  CHECK(shown.retention_max_age == defaults.retention_max_age);
  CHECK(shown.retention_max_programs == defaults.retention_max_programs);
  CHECK(shown.previous_python == defaults.previous_python);
  CHECK(shown.prompt_folders == defaults.prompt_folders);
  CHECK(shown.conversation_rounds == defaults.conversation_rounds);
  CHECK(shown.conversation_dollars == defaults.conversation_dollars);
  CHECK(shown.log == defaults.log);
}

TEST_CASE("docs/configuration-example.md shows the defaults of a provider") {
  const Config config = shown_in("docs/configuration-example.md");
  const ProviderConfig& shown = config.providers.at("mine");
  const ProviderConfig defaults;
  CHECK(shown.kind == defaults.kind);
  CHECK(shown.allow_http == defaults.allow_http);
  CHECK(shown.max_in_flight == defaults.max_in_flight);
  CHECK(shown.max_output_tokens == defaults.max_output_tokens);
  CHECK(shown.temperature == defaults.temperature);
  CHECK(shown.total_timeout == defaults.total_timeout);
  CHECK(shown.connect_timeout == defaults.connect_timeout);
  CHECK(shown.first_byte_timeout == defaults.first_byte_timeout);
  CHECK(shown.key_header == defaults.key_header);
  CHECK(shown.api_version == defaults.api_version);
  CHECK(shown.capabilities.token_limit_field == defaults.capabilities.token_limit_field);
  CHECK(shown.capabilities.temperature == defaults.capabilities.temperature);
  CHECK(shown.capabilities.seed == defaults.capabilities.seed);
  CHECK(shown.capabilities.reasoning_effort == defaults.capabilities.reasoning_effort);
  CHECK(shown.capabilities.service_tier == defaults.capabilities.service_tier);
}

TEST_CASE("an address that only begins like a loopback address is remote") {
  for (const char* url : {"http://127.0.0.1.example.com/v1", "http://localhost.example.com/v1", "http://10.0.0.1/v1",
                          "http://localhost:80@example.com/v1", "127.0.0.1:8000", "file:///etc/passwd", "http://"}) {
    CAPTURE(url);
    const auto config = parse_config(
        std::string("[provider.a]\nmodel = \"m\"\nprice = {input = 1, output = 1}\nbase_url = \"") + url + "\"",
        "c.toml");
    REQUIRE_FALSE(config);
    REQUIRE(config.error().size() == 1);
    CHECK(config.error()[0].starts_with("c.toml:4: provider.a.base_url: "));
  }
}
