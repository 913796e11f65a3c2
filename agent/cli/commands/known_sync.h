// Fetches changed issues of pytorch/pytorch from GitHub's REST API. One thread.
#pragma once

#include <tl/expected.hpp>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/llm/http.h"
#include "agent/llm/secret.h"
#include "store/store.h"

namespace parityd::agent {

/// One page of issues without pull requests. Operators, kind, stage and device are guessed from title and labels; words
/// of a title are looked up in `operators`. The error says what is wrong with the page.
struct GithubPage {
  std::vector<store::KnownIssue> issues;
  std::size_t entries = 0;  // pull requests included
};
[[nodiscard]] tl::expected<GithubPage, std::string> issues_of_page(std::string_view json,
                                                                   const std::set<std::string>& operators);

struct KnownSyncRequest {
  std::string url;      // "https://api.github.com"
  const Secret& token;  // may be empty
  store::Millis since = 0;
  std::set<std::string> operators;
};
/// All issues with one of our labels that changed since then; all or nothing. The error says what a person can do.
[[nodiscard]] tl::expected<std::vector<store::KnownIssue>, std::string> fetch_known_issues(
    HttpClient& http, const KnownSyncRequest& request);

}  // namespace parityd::agent
