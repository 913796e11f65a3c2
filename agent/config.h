// parityd.toml: every key, its default and its check in one place. Any thread.
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
  std::map<std::string, double> tiers = {};  // service tiers whose prices are so many times these
  bool operator==(const ModelPrice&) const = default;
};

/// What a model's API refuses or names otherwise; data, never code.
struct ModelCapabilities {
  std::string token_limit_field = "max_completion_tokens";  // or "max_tokens"
  bool temperature = false;
  bool seed = false;
  std::string reasoning_effort;  // empty: not sent
  std::string service_tier;      // "flex", …; empty: not sent
  bool operator==(const ModelCapabilities&) const = default;
};

struct ProviderConfig {
  std::string name;  // table name: [provider.NAME]
  /// "chat" (OpenAI-compatible chat completions), "anthropic" (its messages), "builtin" (the shipped corpus) or "bred"
  /// (nobody: what the daemon breeds is all there is).
  std::string kind = "chat";
  std::string base_url;     // "https://api.example.com/v1"
  bool allow_http = false;  // plain http to another machine
  std::string model;
  std::string api_key_env, api_key_file;     // at most one of these
  std::string api_key_credential;            // and this: a name in $CREDENTIALS_DIRECTORY (systemd's LoadCredential=)
  std::string key_header = "authorization";  // "authorization" (Bearer), "x-api-key" or "api-key"
  std::string api_version = "2023-06-01";    // of Anthropic's messages
  int max_in_flight = 8;
  int max_output_tokens = 4000;
  std::optional<double> temperature;
  ModelCapabilities capabilities;
  std::optional<ModelPrice> price;  // needed for a provider that costs money; loopback servers may leave it out
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds first_byte_timeout{600'000};
  std::chrono::milliseconds total_timeout{600'000};
  std::filesystem::path record, replay;  // a cassette (llm/cassette.h); at most one

  [[nodiscard]] bool asks_a_model() const { return kind != "builtin" && kind != "bred"; }
  bool operator==(const ProviderConfig&) const = default;
};

/// One of the providers that [run] provider names.
struct ProviderShare {
  std::string name;
  double weight = 1;  // of the prompts, relative to the others; 0: only while none of the others can
  bool operator==(const ProviderShare&) const = default;
};

/// [[executor.group]]: workers of one device kind and one torch, started in one way.
struct WorkerGroup {
  std::string name;                 // unique, 1 to 32 of a-z A-Z 0-9 - _; default: the device
  std::string device = "cpu";       // oracle/device.h
  std::filesystem::path python;     // empty: [executor] python
  std::vector<std::string> launch;  // prefix: "srun …", "ssh host"; empty: here
  std::string gpu;  // the one it uses, as CUDA_VISIBLE_DEVICES takes it; empty: what its workers see first
  int workers = 1;
  int fork_parents = 0;  // 0: half the workers, at least one
  double share = 1;      // of the programs, relative to the other groups
  bool operator==(const WorkerGroup&) const = default;
};

/// [log]
struct LogSettings {
  std::filesystem::path file;  // relative to the state folder; empty: none, behind the terminal STATE/parityd.log
  std::string level = "info";  // info, warning, error: what is written from there up
  std::int64_t max_size = std::int64_t{10} << 20;  // bytes; a line that would make it longer begins a new file
  int files = 5;                                   // old ones kept beside it: FILE.1 is the youngest
  bool operator==(const LogSettings&) const = default;
};

/// [web]: where the page is served, and to whom.
struct WebConfig {
  std::string host;                   // an address or a name, without brackets; empty: there is no page
  int port = 0;                       // 0: one that is free
  std::vector<std::string> names;     // by which a browser may call it, beside addresses and localhost; docs/page.md
  std::string token_env, token_file;  // at most one
  bool operator==(const WebConfig&) const = default;
};

/// [notify]: what is run for each finding that becomes ready.
struct NotifyConfig {
  std::vector<std::string> command;  // argv, no shell; empty: nothing is run
  int per_hour = 12;                 // commands begun in any sixty minutes; findings beyond that wait
  int timeout_seconds = 30;          // then the command is ended
  bool operator==(const NotifyConfig&) const = default;
};

struct Config {
  std::filesystem::path file;  // where it was read from; empty: defaults
  // [run]
  std::vector<ProviderShare> run_providers = {{.name = "builtin"}};  // empty: only what is queued
  std::uint64_t seed = 0;
  int repair_rounds = 3;
  double mutant_share = 0.6;  // of the first programs, bred where a provider answers, too; 0: nothing is bred
  // [executor]
  std::filesystem::path python;     // empty: that of the last run, at first the newest built worker's
  std::string device = "auto";      // auto, cpu, cuda
  int workers = 0;                  // 0: one a core, of which the CPU group beside a GPU's takes a quarter
  int fork_parents = 0;             // 0: half the workers, at least one
  std::vector<std::string> launch;  // prefix
  int programs_per_worker = 200;
  int spares = 1;                   // primed workers in waiting, a group each
  int canary_every = 100;           // programs of a warm worker between two canaries; 0: never
  std::string sandbox = "auto";     // auto, full, reduced, none
  double cpu_share = 0.15;          // of the programs, to a CPU group beside the GPU's; 0: no such group
  double threads_share = 0.33;      // of the programs, to run with 2 or 8 threads where they run on a CPU
  double own_random_share = 0.33;   // of the programs that draw, to draw random numbers of the compiler's own
  std::vector<WorkerGroup> groups;  // replaces device, workers, fork_parents, launch and cpu_share when given
  double compile_deadline_seconds = 180, program_deadline_seconds = 30;
  // [modes] weights of the compiled run's options where neither program nor strategy says
  std::map<std::string, double> modes;  // inductor, backward, dynamic, fullgraph, max_autotune, reduce_overhead
  // [oracle]
  int gate_rounds = 3;
  double confirm_share = 0.3;            // of the workers' time while programs wait: gate, reduction and what follows
  double compile_share = 0.1;            // of the programs it makes: those with the most that is new, compiled
  double compile_sample = 0.1;           // of the others: compiled all the same
  double step_over_share = 0.15;         // of the programs it makes: screened with known findings' neutralisers on
  double reduction_seconds = 600;        // of worker time for one program; then the smallest so far stands
  std::vector<std::string> excuses_off;  // names of excuses that do not count (parityd check --list-excuses)
  // [disposition] what the rows of the disposition table make of findings
  oracle::DispositionChoices dispositions;
  // [known] issues of pytorch/pytorch that are known
  std::chrono::seconds known_max_age = std::chrono::hours(7 * 24);  // older: findings that would be ready are held
  std::string known_url = "https://api.github.com";                 // whose REST interface `parityd known sync` asks
  std::string known_token_env, known_token_file;                    // at most one; none: GitHub allows little
  // [versions] other torches than the one that is tested
  std::filesystem::path newest_python;                 // findings are tried there, too; empty: none
  std::filesystem::path previous_python;               // whose torch sources are compared with; empty: the one before
  std::vector<std::filesystem::path> version_pythons;  // for `parityd recheck --sweep`
  int sentinel_sample = 200;                           // consistent programs run again on a new torch
  // [queue]
  int drafts_per_day = 5;  // how many findings are offered for filing: maintainers' time is short
  // [draft]
  // [budget] dollars
  double dollars_per_hour = 0, dollars_per_day = 5, dollars_total = 0;  // 0: no such cap
  bool dollars_per_day_given = false;                                   // false: say that the default cap holds
  // [store] mebibytes
  std::int64_t disk_floor_mebibytes = 512;  // less is free: no model is asked; below a quarter nothing is begun; 0: off
  std::int64_t disk_cap_mebibytes = 0;      // of the database and its write-ahead log; 0: no cap
  // [retention] measurements of consistent programs
  std::chrono::seconds retention_max_age = std::chrono::hours(30 * 24);
  std::int64_t retention_max_programs = 200'000;  // the newest ones
  // [web]
  WebConfig web;
  // [notify]
  NotifyConfig notify;
  // [prompts]
  std::vector<std::filesystem::path> prompt_folders;
  int conversation_rounds = 2;         // so often a model is told what came of a reading's programs; 0: never
  double conversation_dollars = 0.25;  // a conversation that has cost so much is over
  // [log]
  LogSettings log;
  // [provider.NAME]
  std::map<std::string, ProviderConfig> providers;  // "builtin" and "bred" are always present
};

/// Of a provider that nobody gave a weight: the generator that costs nothing steps in where no model can.
[[nodiscard]] double usual_weight(const Config& config, const std::string& name);

/// Every mistake found, each "file:line: key: what is wrong, what is expected"; misspelt keys get a suggestion.
using ConfigErrors = std::vector<std::string>;
[[nodiscard]] tl::expected<Config, ConfigErrors> load_config(const std::filesystem::path& file);
[[nodiscard]] tl::expected<Config, ConfigErrors> parse_config(std::string_view text, const std::filesystem::path& file);
/// $XDG_CONFIG_HOME/parityd/parityd.toml, whether it exists or not.
[[nodiscard]] std::filesystem::path default_config_file();

}  // namespace parityd::agent
