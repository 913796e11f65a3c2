#include "agent/llm/http.h"

#include <curl/curl.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "agent/loopback_url.h"
#include "executor/process/interest.h"
#include "oracle/rules/message.h"

namespace parityd::agent {
namespace {

using Clock = std::chrono::steady_clock;

struct EasyDeleter {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct MultiDeleter {
  void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};
struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Easy = std::unique_ptr<CURL, EasyDeleter>;

struct Transfer {
  TransferId id = 0;
  HttpRequest request;
  HttpResponse response;
  Easy easy;
  std::unique_ptr<curl_slist, ListDeleter> headers;
  Clock::time_point started;
  bool first_byte = false;
  bool too_large = false;
};

/// The environment's no_proxy plus this machine: a local server is never behind a proxy.
std::string no_proxy() {
  std::string hosts = "localhost,127.0.0.1,::1";
  for (const char* variable : {"no_proxy", "NO_PROXY"}) {
    if (const char* value = std::getenv(variable); value != nullptr && *value != '\0') return hosts + "," + value;
  }
  return hosts;
}

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  transfer.first_byte = true;
  if (transfer.response.body.size() + size * count > transfer.request.body_cap) {
    transfer.too_large = true;
    return 0;  // aborts the transfer
  }
  transfer.response.body.append(data, size * count);
  return size * count;
}

std::size_t on_header(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  transfer.first_byte = true;
  const std::string_view line(data, size * count);
  if (line.starts_with("HTTP/")) {
    transfer.response.headers.clear();  // drops those of an earlier 100 or retry
    return size * count;
  }
  const auto colon = line.find(':');
  if (colon != std::string_view::npos && transfer.response.headers.size() < 200) {
    transfer.response.headers.emplace_back(oracle::lowered(line.substr(0, colon)),
                                           oracle::trimmed(line.substr(colon + 1)));
  }
  return size * count;
}

/// An error ends all transfers, because their sockets can no longer be waited for.
int on_socket(CURL* /*easy*/, curl_socket_t socket, int what, void* user, void* /*of_socket*/) {
  auto& sockets = *static_cast<executor::DescriptorSet*>(user);
  if (what == CURL_POLL_REMOVE) {
    sockets.forget(socket);
    return 0;
  }
  try {
    sockets.watch(socket, (what & CURL_POLL_IN) != 0, (what & CURL_POLL_OUT) != 0);
  } catch (const std::system_error&) {
    return -1;
  }
  return 0;
}

int on_timer(CURLM* /*multi*/, long milliseconds, void* user) {
  auto& timer = *static_cast<std::optional<Clock::time_point>*>(user);
  timer.reset();
  if (milliseconds >= 0) timer = Clock::now() + std::chrono::milliseconds(milliseconds);
  return 0;
}

HttpError::Kind kind_of(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_CONNECT:
      return HttpError::Kind::connect;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return HttpError::Kind::resolve;
    case CURLE_OPERATION_TIMEDOUT:
      return HttpError::Kind::timeout;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return HttpError::Kind::tls;
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_WEIRD_SERVER_REPLY:
      return HttpError::Kind::truncated;
    default:
      return HttpError::Kind::other;
  }
}

HttpError error_of(const Transfer& transfer, CURLcode code) {
  curl_off_t uploaded = 0;
  long request_bytes = 0;
  curl_easy_getinfo(transfer.easy.get(), CURLINFO_SIZE_UPLOAD_T, &uploaded);
  curl_easy_getinfo(transfer.easy.get(), CURLINFO_REQUEST_SIZE, &request_bytes);
  HttpError error{.kind = kind_of(code), .message = curl_easy_strerror(code), .sent = request_bytes + uploaded > 0};
  if (transfer.too_large) {
    error.kind = HttpError::Kind::too_large;
    error.message = "the answer is larger than " + std::to_string(transfer.request.body_cap) + " bytes";
  } else if (!error.sent && (code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_URL_MALFORMAT)) {
    error.kind = HttpError::Kind::refused;
    error.message = "the URL is malformed, or is plain http to another machine (allow_http = true permits that)";
  }
  return error;
}

}  // namespace

std::optional<std::string> HttpResponse::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return std::nullopt;
}

struct HttpClient::State {
  // Registered by libcurl; declared before `multi`, whose destructor still removes some.
  executor::DescriptorSet sockets;
  std::optional<Clock::time_point> timer;  // when libcurl wants to be called without socket activity
  std::unique_ptr<CURLM, MultiDeleter> multi{curl_multi_init()};
  std::map<TransferId, std::unique_ptr<Transfer>> transfers;
  std::map<TransferId, HttpResult> completed;
  TransferId next = 1;

  void finish(Transfer& transfer, HttpResult result) {
    completed.emplace(transfer.id, std::move(result));
    release(transfer.id);
  }

  void release(TransferId id) {
    const auto found = transfers.find(id);
    curl_multi_remove_handle(multi.get(), found->second->easy.get());
    transfers.erase(found);
  }

  void move_on(curl_socket_t socket, int events) {
    int running = 0;
    curl_multi_socket_action(multi.get(), socket, events, &running);
  }

  void move_on_ready() {
    for (const auto& socket : sockets.ready()) {
      move_on(socket.descriptor, (socket.read ? CURL_CSELECT_IN : 0) | (socket.write ? CURL_CSELECT_OUT : 0));
    }
    if (timer && *timer <= Clock::now()) {
      timer.reset();
      move_on(CURL_SOCKET_TIMEOUT, 0);
    }
    take_messages();
  }

  void take_messages() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      Transfer* transfer = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
      const CURLcode code = message->data.result;
      long status = 0;
      curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
      transfer->response.status = static_cast<int>(status);
      transfer->response.elapsed =
          std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - transfer->started);
      if (code == CURLE_OK) {
        finish(*transfer, std::move(transfer->response));
      } else {
        finish(*transfer, tl::unexpected(error_of(*transfer, code)));
      }
    }
  }

  /// libcurl has no timeout for the first byte.
  void expire(Clock::time_point now) {
    std::vector<Transfer*> late;
    for (const auto& [id, transfer] : transfers) {
      if (!transfer->first_byte && now - transfer->started > transfer->request.first_byte_timeout) {
        late.push_back(transfer.get());
      }
    }
    for (Transfer* transfer : late) {
      HttpError error = error_of(*transfer, CURLE_OPERATION_TIMEDOUT);
      error.message = "no response before the timeout";
      finish(*transfer, tl::unexpected(std::move(error)));
    }
  }

  [[nodiscard]] std::optional<Clock::time_point> next_deadline() const {
    if (!completed.empty()) return Clock::time_point();
    std::optional<Clock::time_point> soonest = timer;
    for (const auto& [id, transfer] : transfers) {
      if (!transfer->first_byte) {
        const auto late = transfer->started + transfer->request.first_byte_timeout;
        soonest = std::min(soonest.value_or(late), late);
      }
    }
    return soonest;
  }
};

HttpClient::HttpClient() : state_(std::make_unique<State>()) {
  CURLM* multi = state_->multi.get();
  if (multi == nullptr) throw std::runtime_error("libcurl could not be initialised");
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, &on_socket);
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, &state_->sockets);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, &on_timer);
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, &state_->timer);
}
HttpClient::~HttpClient() {
  while (!state_->transfers.empty()) state_->release(state_->transfers.begin()->first);
}

TransferId HttpClient::start(HttpRequest request) {
  auto transfer = std::make_unique<Transfer>();
  transfer->id = state_->next++;
  transfer->request = std::move(request);
  transfer->started = Clock::now();
  // One easy handle per transfer, never reused: connections and DNS results are kept in the multi handle, and libcurl
  // 7.88 keeps a pointer into the last response's headers in the easy handle, which it would free twice if the next
  // response began with a continued header line.
  transfer->easy.reset(curl_easy_init());
  CURL* easy = transfer->easy.get();
  const HttpRequest& asked = transfer->request;
  curl_slist* list = curl_slist_append(nullptr, "Expect:");  // otherwise large bodies wait a second for a 100
  for (const auto& [name, value] : asked.headers) {
    std::string line = name;
    line.append(": ").append(value);
    list = curl_slist_append(list, line.c_str());
  }
  transfer->headers.reset(list);
  curl_easy_setopt(easy, CURLOPT_URL, asked.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR,
                   asked.allow_http || is_loopback_url(asked.url) ? "http,https" : "https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);  // a redirect must not send the key elsewhere
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
  if (asked.get) {
    curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
  } else {
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(asked.body.size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, asked.body.data());
  }
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, list);
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "parityd");
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(asked.connect_timeout.count()));
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(asked.total_timeout.count()));
  curl_easy_setopt(easy, CURLOPT_NOPROXY, no_proxy().c_str());
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer.get());
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer.get());
  curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer.get());
  curl_multi_add_handle(state_->multi.get(), easy);
  const TransferId id = transfer->id;
  state_->transfers[id] = std::move(transfer);
  return id;
}

void HttpClient::cancel(TransferId id) {
  state_->completed.erase(id);
  if (state_->transfers.contains(id)) state_->release(id);
}

std::optional<HttpResult> HttpClient::pop_result(TransferId id) {
  const auto found = state_->completed.find(id);
  if (found == state_->completed.end()) return std::nullopt;
  HttpResult result = std::move(found->second);
  state_->completed.erase(found);
  return result;
}

bool HttpClient::ready() const { return !state_->completed.empty(); }

int HttpClient::descriptor() const { return state_->sockets.number(); }
std::optional<executor::TimePoint> HttpClient::next_deadline() const { return state_->next_deadline(); }

void HttpClient::poll(executor::TimePoint now) {
  state_->move_on_ready();
  state_->expire(now);
}

}  // namespace parityd::agent
