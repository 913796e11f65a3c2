#include "agent/daemon/reload.h"

#include <re2/re2.h>

#include <algorithm>

#include "tests/catch.h"
#include "tests/files.h"

using namespace parityd::agent;

namespace {

std::string page_text(const std::string& name) { return parityd::tests::read_file(PARITYD_SOURCE_DIR "/docs/" + name); }

Config config_of(const std::string& text) {
  auto config = parse_config(text, "c.toml");
  REQUIRE(config);
  return std::move(*config);
}

constexpr const char* kProviders = R"(
[provider.a]
base_url = "http://127.0.0.1:1/v1"
model = "m"
[provider.b]
base_url = "http://127.0.0.1:2/v1"
model = "n"
)";

}  // namespace

TEST_CASE("every key of the configuration has a rule for reloads") {
  std::string page;
  for (const char* part : {"", "-executor", "-oracle", "-providers"}) {
    page += page_text(std::string("configuration") + part + ".md");
  }
  re2::StringPiece rest(page);
  std::string key;
  int keys = 0;
  while (RE2::FindAndConsume(&rest, R"((?m)^\| `([a-zA-Z_.]+)` \|)", &key)) {
    ++keys;
    INFO(key);
    CHECK(std::ranges::any_of(reload_rules(), [&](const ReloadRule& rule) {
      return key == rule.key || key.starts_with(std::string(rule.key) + ".");
    }));
  }
  CHECK(keys > 70);
}

TEST_CASE("docs/configuration.md names every key that needs a restart") {
  const std::string page = page_text("service.md");
  for (const ReloadRule& rule : reload_rules()) {
    INFO(rule.key);
    CHECK((rule.live || page.find(rule.key) != std::string::npos));
  }
}

TEST_CASE("a reload applies what can change and names what cannot") {
  Config current = config_of("");
  Config next =
      config_of("[run]\nseed = 7\n[oracle]\nconfirmation_rounds = 2\n[executor]\nworkers = 9\n[modes]\nbackward = 1\n");
  const Reloaded reloaded = take_over(current, next);
  CHECK(reloaded.changed == std::vector<std::string>{"modes", "oracle.confirmation_rounds"});
  CHECK(reloaded.needs_restart == std::vector<std::string>{"run.seed", "executor.workers"});
  CHECK(current.confirmation_rounds == 2);
  CHECK(current.modes.at("backward") == 1);
  CHECK(current.workers == 0);
  CHECK(current.seed == 0);
  const Reloaded again = take_over(current, current);
  CHECK(again.changed.empty());
  CHECK(again.needs_restart.empty());
}

TEST_CASE("a reload can change the weights of providers but not which providers there are") {
  Config current = config_of(std::string("[run]\nprovider = [\"a\", \"builtin\"]\n") + kProviders);
  const Config weighed =
      config_of(std::string("[run]\nprovider = [{ name = \"a\", weight = 3 }, \"builtin\"]\n") + kProviders);
  CHECK(take_over(current, weighed).changed == std::vector<std::string>{"run.provider"});
  CHECK(current.run_providers.front().weight == 3);
  const Config others = config_of(std::string("[run]\nprovider = [\"a\", \"b\"]\n") + kProviders);
  const Reloaded reloaded = take_over(current, others);
  CHECK(reloaded.needs_restart == std::vector<std::string>{"run.provider"});
  CHECK(reloaded.changed.empty());
  CHECK(current.run_providers.back().name == "builtin");
  CHECK(opened_providers(current) == std::vector<std::string>{"a"});
}

TEST_CASE("a reload can change the model of a provider but not its protocol") {
  Config current = config_of(std::string("[run]\nprovider = \"a\"\n") + kProviders);
  Config next = current;
  next.providers.at("a").model = "newer";
  CHECK(take_over(current, next).changed == std::vector<std::string>{"provider"});
  CHECK(current.providers.at("a").model == "newer");
  next.providers.at("a").kind = "anthropic";
  next.providers.at("b").kind = "anthropic";  // nobody has opened it
  const Reloaded reloaded = take_over(current, next);
  CHECK(reloaded.needs_restart == std::vector<std::string>{"provider.NAME.kind, record or replay"});
  CHECK(reloaded.changed == std::vector<std::string>{"provider"});
  CHECK(current.providers.at("a").kind == "chat");
  CHECK(current.providers.at("b").kind == "anthropic");
}

TEST_CASE("a reload notices a changed disposition") {
  Config current = config_of("");
  const Config next = config_of("[disposition]\nsubnormal = \"pass\"\n");
  CHECK(take_over(current, next).changed == std::vector<std::string>{"disposition"});
  CHECK(take_over(current, next).changed.empty());
  CHECK(current.dispositions.contains("subnormal"));
}
