// From the configuration's provider name to a provider. Any thread.
#pragma once

#include <tl/expected.hpp>

#include <filesystem>
#include <memory>
#include <string>

#include "agent/config.h"
#include "agent/llm/http.h"
#include "agent/llm/provider.h"
#include "executor/syntax/syntax_client.h"

namespace parityd::agent {

/// Null for "none". The error names the providers there are.
[[nodiscard]] tl::expected<std::unique_ptr<Provider>, std::string> make_provider(const Config& config, HttpClient& http,
                                                                                 executor::SyntaxClient& syntax,
                                                                                 const std::filesystem::path& corpus);

/// Who writes titles and summaries of drafts; null where nobody is configured. `http` must be its own.
[[nodiscard]] tl::expected<std::unique_ptr<Provider>, std::string> make_draft_writer(const Config& config,
                                                                                     HttpClient& http);

}  // namespace parityd::agent
