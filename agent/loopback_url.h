// Recognises addresses of this machine, to which a key may be sent unencrypted. Any thread.
#pragma once

#include <string>

namespace parityd::agent {

/// Whether the URL's host is a loopback name or address. Not a prefix test: "localhost.example.com" is another host.
[[nodiscard]] bool is_loopback_url(const std::string& url);

}  // namespace parityd::agent
