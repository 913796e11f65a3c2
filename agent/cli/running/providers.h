// From the configuration's provider names to providers with their keys and cassettes. Any thread.
#pragma once

#include <tl/expected.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "agent/config.h"
#include "agent/llm/http.h"
#include "agent/llm/provider.h"
#include "agent/llm/secret.h"

namespace parityd::agent {

/// A provider, and what carries its requests where that is not `http` itself.
struct OpenedProvider {
  std::vector<std::unique_ptr<Transport>> transports;  // outlive the provider
  std::unique_ptr<Provider> provider;                  // null: nobody
};

/// A token that is in a variable of the environment or in a file; neither is named: empty.
[[nodiscard]] tl::expected<Secret, std::string> token_of(const std::string& variable, const std::string& file);

/// Those of [run] provider. The error names the providers there are, or the setting that is wrong.
[[nodiscard]] tl::expected<OpenedProvider, std::string> open_providers(const Config& config, HttpClient& http,
                                                                       KeyRing& ring,
                                                                       const std::filesystem::path& corpus);

/// As `--provider` names them, one or several with commas between; their weights are those of the configuration.
void choose_providers(Config& config, const std::vector<std::string>& names);

}  // namespace parityd::agent
