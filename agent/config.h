// parityd.toml: every key with its default; loaders that check them. Any thread.
#pragma once

#include <tl/expected.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/finding/disposition.h"

namespace parityd::agent {

struct ModelPrice {  // dollars per million tokens
  double input = 0, cached_input = 0, cache_write = 0, output = 0;
  std::map<std::string, double> tiers = {};  // price multiplier per service tier
  bool operator==(const ModelPrice&) const = default;
};

/// Where a model's API differs from the others: what it refuses or names differently.
struct ModelCapabilities {
  std::string token_limit_field = "max_completion_tokens";  // or "max_tokens"
  bool temperature = false;
  bool seed = false;
  std::string reasoning_effort;  // empty: not sent
  std::string service_tier;      // "flex", …; empty: not sent
  bool operator==(const ModelCapabilities&) const = default;
};

struct ProviderConfig {
  std::string name;  // NAME of the table [provider.NAME]
  /// "chat" (OpenAI-compatible chat completions), "anthropic" (Anthropic's messages API), "builtin" (the shipped
  /// corpus) or "bred" (no provider: only the mutants and composed programs that the daemon makes itself).
  std::string kind = "chat";
  std::string base_url;     // "https://api.example.com/v1"
  bool allow_http = false;  // allow plain http to another machine
  std::string model;
  std::string api_key_env, api_key_file;     // at most one of these and api_key_credential
  std::string api_key_credential;            // a name in $CREDENTIALS_DIRECTORY (systemd's LoadCredential=)
  std::string key_header = "authorization";  // "authorization" (Bearer), "x-api-key" or "api-key"
  std::string api_version = "2023-06-01";    // of Anthropic's messages API
  int max_in_flight = 8;
  int max_output_tokens = 4000;
  std::optional<double> temperature;
  ModelCapabilities capabilities;
  std::optional<ModelPrice> price;  // required, except for servers on loopback
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds first_byte_timeout{600'000};
  std::chrono::milliseconds total_timeout{600'000};
  std::filesystem::path record, replay;  // cassettes (llm/cassette.h); at most one of the two

  [[nodiscard]] bool asks_a_model() const { return kind != "builtin" && kind != "bred"; }
  bool operator==(const ProviderConfig&) const = default;
};

/// One of the providers that [run] provider names.
struct ProviderShare {
  std::string name;
  double weight = 1;  // share of the prompts, relative to the others; 0: only while no other provider can answer
  bool operator==(const ProviderShare&) const = default;
};

/// [[executor.group]]: workers of one device kind and one torch, all started the same way.
struct WorkerGroup {
  std::string name;                 // unique, 1 to 32 characters of a-z A-Z 0-9 - _; default: the device
  std::string device = "cpu";       // oracle/device.h
  std::filesystem::path python;     // empty: [executor] python
  std::vector<std::string> launch;  // command prefix: "srun …", "ssh host"; empty: on this machine
  std::string gpu;  // the GPU it uses, as CUDA_VISIBLE_DEVICES takes it; empty: the first that its workers see
  int workers = 1;
  int fork_parents = 0;  // 0: half the workers, at least one
  double share = 1;      // share of the programs, relative to the other groups
  bool operator==(const WorkerGroup&) const = default;
};

/// [log]
struct LogSettings {
  std::filesystem::path file;  // relative to the state folder; empty: none, or STATE/parityd.log if detached
  std::string level = "info";  // lowest level written: info, warning, error
  std::int64_t max_size = std::int64_t{10} << 20;  // bytes; a line that would exceed it starts a new file
  int files = 5;                                   // rotated files kept beside it: FILE.1 is the newest
  bool operator==(const LogSettings&) const = default;
};

/// [web]: where the page is served and who may open it.
struct WebConfig {
  std::string host;                // an address or a host name, without brackets; empty: no page
  int port = 0;                    // 0: any free port
  std::vector<std::string> names;  // host names that a browser may use, besides addresses and localhost; docs/page.md
  std::string token_env, token_file;  // at most one
  bool operator==(const WebConfig&) const = default;
};

/// [notify]: the command run for each finding that becomes ready.
struct NotifyConfig {
  std::vector<std::string> command;  // argv, no shell; empty: nothing is run
  int per_hour = 12;                 // commands started in any 60 minutes; further findings wait
  int timeout_seconds = 30;          // then the command is killed
  bool operator==(const NotifyConfig&) const = default;
};

/// [fix]: changes of torch's Python files that a model is asked for (docs/fix.md).
struct FixConfig {
  bool automatic = false;          // the daemon asks for each ready finding
  std::string provider;            // a model's [provider.NAME]; empty: those of [run]
  double dollars_per_day = 2;      // since midnight UTC; 0: only the caps of [budget]
  int programs = 100;              // the most consistent programs that a change is tried on
  int max_output_tokens = 16'000;  // in place of the provider's, which is meant for programs
  bool operator==(const FixConfig&) const = default;
};

struct Config {
  std::filesystem::path file;  // the file it was read from; empty: all defaults
  // [run]
  std::vector<ProviderShare> run_providers = {{.name = "builtin"}};  // empty: only queued programs are run
  std::uint64_t seed = 0;
  int repair_rounds = 3;
  double mutant_share = 0.6;  // share of new programs bred even if a provider answers; 0: none is bred
  // [executor]
  std::filesystem::path python;     // empty: that of the last run, initially that of the newest built worker
  std::string device = "auto";      // auto, cpu, cuda
  int workers = 0;                  // 0: one per core; beside a GPU group, the CPU group takes a quarter of them
  int fork_parents = 0;             // 0: half the workers, at least one
  std::vector<std::string> launch;  // prefix
  int programs_per_worker = 200;
  int spares = 1;                   // primed workers kept waiting, per group
  int canary_every = 100;           // programs that a warm worker runs between two canaries; 0: never
  std::string sandbox = "auto";     // auto, full, reduced, none
  double cpu_share = 0.15;          // share of the programs for a CPU group beside the GPU's; 0: no such group
  double threads_share = 0.33;      // share of the programs run with 2 or 8 threads if they run on a CPU
  double own_random_share = 0.33;   // share of the programs that draw random numbers: use the compiler's generator
  std::vector<WorkerGroup> groups;  // if given, replaces device, workers, fork_parents, launch and cpu_share
  double compile_deadline_seconds = 180, program_deadline_seconds = 30;
  // [modes] weights of the compiled run's options, used when neither program nor strategy sets them
  std::map<std::string, double> modes;  // inductor, backward, dynamic, fullgraph, max_autotune, reduce_overhead
  // [oracle]
  int confirmation_rounds = 3;
  double confirm_share =
      0.3;  // share of the workers' time while programs wait: confirmation, reduction and what follows
  double compile_share = 0.1;      // share of the programs made here to compile: those with the most novel graphs
  double compile_sample = 0.1;     // share of the others to compile all the same
  double step_over_share = 0.15;   // share of the programs made here to screen with known findings' neutralisers on
  double reduction_seconds = 600;  // worker time for one program; then the smallest program found so far is kept
  std::vector<std::string> excuses_off;  // excuses to ignore (parityd check --list-excuses)
  // [disposition] choices for rows of the disposition table
  oracle::DispositionChoices dispositions;
  // [known] known issues of pytorch/pytorch
  std::chrono::seconds known_max_age = std::chrono::hours(7 * 24);  // older: findings that would be ready are held
  std::string known_url = "https://api.github.com";                 // REST API that `parityd known sync` queries
  std::string known_token_env, known_token_file;  // at most one; none: GitHub's low anonymous rate limit
  // [versions] torch versions other than the tested one
  std::filesystem::path newest_python;                 // findings are also tried there; empty: none
  std::filesystem::path previous_python;               // whose torch sources to compare with; empty: the last read
  std::vector<std::filesystem::path> version_pythons;  // for `parityd recheck --sweep`
  int sentinel_sample = 200;                           // consistent programs that are run again on a new torch
  // [queue]
  int drafts_per_day = 5;  // findings offered for filing per day: maintainers' time is short
  // [draft]
  // [budget] dollars
  double dollars_per_hour = 0, dollars_per_day = 5, dollars_total = 0;  // 0: no cap
  bool dollars_per_day_given = false;                                   // false: report that the default cap applies
  // [store] mebibytes
  std::int64_t disk_floor_mebibytes = 512;  // less is free: no model is asked; below a quarter nothing starts; 0: off
  std::int64_t disk_cap_mebibytes = 0;      // database and write-ahead log together; 0: no cap
  // [retention] measurements of consistent programs
  std::chrono::seconds retention_max_age = std::chrono::hours(30 * 24);
  std::int64_t retention_max_programs = 200'000;  // the newest are kept
  // [web]
  WebConfig web;
  // [notify]
  NotifyConfig notify;
  // [fix]
  FixConfig fix;
  // [prompts]
  std::vector<std::filesystem::path> prompt_folders;
  int conversation_rounds = 2;         // how often a model is sent the outcomes of a reading's programs; 0: never
  double conversation_dollars = 0.25;  // a conversation that has cost this much ends
  // [log]
  LogSettings log;
  // [provider.NAME]
  std::map<std::string, ProviderConfig> providers;  // always holds "builtin" and "bred"
};

/// The default weight: 1, or 0 for kinds "builtin" and "bred", which cost nothing and step in while no model can
/// answer.
[[nodiscard]] double usual_weight(const Config& config, const std::string& name);

/// Every mistake found, each as "file:line: key: what is wrong, what is expected"; misspelt keys get a suggestion.
using ConfigErrors = std::vector<std::string>;
[[nodiscard]] tl::expected<Config, ConfigErrors> load_config(const std::filesystem::path& file);
[[nodiscard]] tl::expected<Config, ConfigErrors> parse_config(std::string_view text, const std::filesystem::path& file);
/// $XDG_CONFIG_HOME/parityd/parityd.toml, whether or not it exists.
[[nodiscard]] std::filesystem::path default_config_file();

}  // namespace parityd::agent
