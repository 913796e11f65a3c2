// The HTTP answers' part of agent_entries.h.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>
#include <system_error>

#include "agent/llm/codec.h"
#include "agent/llm/http.h"
#include "agent/llm/reply.h"
#include "agent/llm/retry.h"
#include "tests/fuzz/agent_entries.h"
#include "tests/fuzz/promises.h"

namespace parityd::fuzz {
namespace {

using namespace std::chrono_literals;
using agent::HttpResponse;

constexpr std::size_t kLongestMessage = 300;
constexpr const char* kKey = "qk7-Zr93-the-key-Wd5f";  // corpora hold it: an answer may echo it

agent::ProviderConfig provider(const char* kind) {
  agent::ProviderConfig config{.name = "fuzzed", .kind = kind, .base_url = "http://127.0.0.1/v1", .model = "m"};
  config.price = agent::ModelPrice{.input = 1, .cached_input = 0.1, .cache_write = 2, .output = 2};
  return config;
}

bool is_line(const std::string& text) {
  return std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

void use_message(const std::string& message) {
  require(!message.empty() && message.size() <= kLongestMessage, "a message is short");
  require(is_line(message), "a message is one line that can be printed");
  require(message.find(kKey) == std::string::npos, "the key is in no message");
  use_text(message);
}

void use_reply(const agent::Reply& reply) {
  use_text(reply.text);
  use_text(reply.model);
  require(is_line(reply.model) && is_line(reply.usage.tier), "names are lines that can be printed");
  const auto& usage = reply.usage;
  require(std::min({usage.prompt_tokens, usage.cached_tokens, usage.cache_write_tokens, usage.completion_tokens,
                    usage.reasoning_tokens}) >= 0,
          "nobody reads or writes fewer tokens than none");
  require(reply.cost_nano_dollars >= 0, "a reply does not earn money");
  (void)agent::extract_program(reply.text, reply.finish);
}

void use_response(const HttpResponse& response) {
  const agent::Secret key(kKey);
  const agent::Prompt prompt{.strategy = "operators", .messages = {{agent::Message::Role::user, "write one"}}};
  for (const char* kind : {"chat", "anthropic"}) {
    const agent::ProviderConfig config = provider(kind);
    const auto reply = agent::codec_of(config).decode(config, key, prompt, response);
    if (reply) {
      use_reply(*reply);
    } else {
      use_message(reply.error().message);
    }
  }
  const auto asked = agent::asked_wait(response, std::chrono::system_clock::time_point(1'800'000'000s));
  require(!asked || *asked >= 0ms, "nobody is asked again before now");
  require(agent::wait_before_retry(4, asked, 0.5) <= 15min, "a wait ends");
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  line.remove_suffix(line.ends_with('\r') ? 1 : 0);
  return line;
}

/// Where the next three digits are, or 200.
int status_of(std::string_view line) {
  const std::size_t at = std::min(line.find(' '), line.size());
  int status = 0;
  line.remove_prefix(std::min(at + 1, line.size()));
  std::from_chars(line.data(), line.data() + std::min<std::size_t>(line.size(), 3), status);
  return status == 0 ? 200 : status;
}

}  // namespace

void feed_answer(std::string_view bytes) {
  HttpResponse response{.status = status_of(take_line(bytes)), .headers = {}, .body = {}};
  while (!bytes.empty()) {
    const std::string_view line = take_line(bytes);
    if (line.empty()) {
      break;
    }
    const std::size_t colon = std::min(line.find(':'), line.size());
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    response.headers.emplace_back(lower(line.substr(0, colon)), value);
  }
  response.body = bytes;
  use_response(response);
}

/// One side of a connection: reads the request, sends bytes, says that nothing more comes.
class Peer {
 public:
  explicit Peer(int descriptor) : descriptor_(descriptor) {}
  ~Peer() {
    const linger none{.l_onoff = 1, .l_linger = 0};  // thousands of closed connections would use up the ports
    setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
    close(descriptor_);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  [[nodiscard]] executor::Interest interest() const {
    return {.descriptor = descriptor_, .read = !heard_, .write = heard_ && !done_};
  }
  /// Answers once the whole request was read: a connection closed over unread bytes loses what was sent.
  void serve(std::string_view bytes, std::size_t request_end) {
    std::array<char, 4096> buffer{};
    while (!heard_) {
      const ssize_t count = recv(descriptor_, buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (count <= 0) {
        return;
      }
      request_.append(buffer.data(), static_cast<std::size_t>(count));
      const std::size_t head = request_.find("\r\n\r\n");
      heard_ = head != std::string::npos && request_.size() >= head + 4 + request_end;
    }
    while (sent_ < bytes.size()) {
      const ssize_t count = send(descriptor_, bytes.data() + sent_, bytes.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (count < 0 && errno == EAGAIN) {
        return;
      }
      if (count < 0) {
        break;  // the client has had enough
      }
      sent_ += static_cast<std::size_t>(count);
    }
    if (!done_) {
      shutdown(descriptor_, SHUT_WR);
      done_ = true;
    }
  }

 private:
  int descriptor_;
  std::string request_;
  std::size_t sent_ = 0;
  bool heard_ = false, done_ = false;
};

struct Answers::State {
  int listener = -1;
  std::string url;
  agent::HttpClient client;
  agent::EventLoop loop{&client};
};

Answers::Answers() : state_(std::make_unique<State>()) {
  state_->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* place = reinterpret_cast<sockaddr*>(&address);
  if (bind(state_->listener, place, size) != 0 || listen(state_->listener, 8) != 0 ||
      getsockname(state_->listener, place, &size) != 0) {
    throw std::system_error(errno, std::generic_category(), "a listening socket");
  }
  state_->url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/";
}

Answers::~Answers() { close(state_->listener); }

void Answers::feed(std::string_view bytes) {
  constexpr std::size_t kCap = 1 << 20;
  agent::HttpRequest request{.url = state_->url, .headers = {}, .body = "{}"};
  request.body_cap = kCap;
  agent::HttpClient& client = state_->client;
  const agent::TransferId id = client.start(request);
  std::unique_ptr<Peer> peer;
  std::optional<agent::HttpResult> result;
  const auto last = std::chrono::steady_clock::now() + 60s;
  while (!(result = client.pop_result(id))) {
    require(std::chrono::steady_clock::now() < last, "a transfer ends when the server has closed");
    const executor::Interest waiting{.descriptor = state_->listener, .read = true};
    state_->loop.wait({peer ? peer->interest() : waiting}, 100ms);
    if (const int descriptor = accept4(state_->listener, nullptr, nullptr, SOCK_CLOEXEC); descriptor >= 0) {
      peer = std::make_unique<Peer>(descriptor);  // a second one: libcurl asks again where a kept connection failed
    }
    if (peer) {
      peer->serve(bytes, request.body.size());
    }
  }
  if (*result) {
    require((*result)->body.size() <= kCap, "a body has a cap");
    use_response(**result);
  } else {
    use_error(result->error().message);
  }
}

}  // namespace parityd::fuzz
