#include "agent/loopback_url.h"

#include <curl/curl.h>

#include <memory>
#include <string_view>

namespace parityd::agent {
namespace {

struct UrlDeleter {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
struct TextDeleter {
  void operator()(char* text) const { curl_free(text); }
};

}  // namespace

bool is_loopback_url(const std::string& url) {
  const std::unique_ptr<CURLU, UrlDeleter> parsed(curl_url());
  char* part = nullptr;
  if (curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK ||
      curl_url_get(parsed.get(), CURLUPART_HOST, &part, 0) != CURLUE_OK) {
    return false;
  }
  const std::unique_ptr<char, TextDeleter> owner(part);
  const std::string_view host(part);
  const bool number = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return host == "localhost" || host == "[::1]" || (number && host.starts_with("127."));
}

}  // namespace parityd::agent
