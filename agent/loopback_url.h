// Addresses of this machine: there a key may travel without encryption. Any thread.
#pragma once

#include <string>

namespace parityd::agent {

/// Whether the address names this machine by a loopback name or number. A prefix would not do: "localhost.example.com".
[[nodiscard]] bool is_loopback_url(const std::string& url);

}  // namespace parityd::agent
