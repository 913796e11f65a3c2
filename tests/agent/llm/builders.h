// For tests without a socket: a prompt, a priced provider, a folder that goes away.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "agent/config.h"
#include "agent/llm/provider.h"
#include "tests/catch.h"
#include "tests/files.h"

namespace parityd::agent::testing {

inline Prompt prompt_of(const std::string& text) {
  return {.purpose = Purpose::generate,
          .strategy = "operators",
          .messages = {{.role = Message::Role::system, .text = "You write programs."},
                       {.role = Message::Role::user, .text = text}},
          .seed = 7};
}

/// One dollar in, a quarter of it for cached tokens, two out: a million tokens.
inline ProviderConfig provider_at(const std::string& base_url) {
  ProviderConfig config;
  config.name = "test";
  config.base_url = base_url;
  config.model = "small";
  config.max_output_tokens = 1000;
  config.price = ModelPrice{.input = 1, .cached_input = 0.25, .cache_write = 1.25, .output = 2};
  return config;
}

using Folder = parityd::tests::TemporaryFolder;
using parityd::tests::read_file;

}  // namespace parityd::agent::testing
