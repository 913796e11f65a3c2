// Opens the configuration's providers with their keys and cassettes. Any thread.
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

/// A provider, and the transports of its requests other than `http`.
struct OpenedProvider {
  std::vector<std::unique_ptr<Transport>> transports;  // must outlive the provider
  std::unique_ptr<Provider> provider;                  // null: none
};

/// Reads a token from an environment variable or a file; empty if neither is named.
[[nodiscard]] tl::expected<Secret, std::string> token_of(const std::string& variable, const std::string& file);

/// Opens those of [run] provider. The error names the existing providers or the wrong setting.
[[nodiscard]] tl::expected<OpenedProvider, std::string> open_providers(const Config& config, HttpClient& http,
                                                                       KeyRing& ring,
                                                                       const std::filesystem::path& corpus);

/// Sets the providers named by `--provider`, separated by commas; their weights are those of the configuration.
void choose_providers(Config& config, const std::vector<std::string>& names);

}  // namespace parityd::agent
