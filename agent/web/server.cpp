#include "agent/web/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <xxhash.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "agent/web/access.h"
#include "agent/web/patient_stream.h"
#include "executor/confine/descriptor.h"
#include "oracle/json_read.h"
#include "store/store.h"

namespace parityd::agent {
namespace {

using Response = httplib::Server::HandlerResponse;

/// Blocks signals in the server's threads, so that the main thread gets them, and undoes httplib's ignoring of SIGPIPE,
/// which children would inherit.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask_);
    sigaction(SIGPIPE, nullptr, &pipe_);
  }
  ~WithoutSignals() {
    sigaction(SIGPIPE, &pipe_, nullptr);
    pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  sigset_t mask_{};
  struct sigaction pipe_ {};
};

/// Threads that take connections in turn. A connection over the limit is answered at once by the accepting thread.
class Crew : public httplib::TaskQueue {
 public:
  using Enqueued = decltype(std::declval<httplib::TaskQueue>().enqueue(nullptr));

  explicit Crew(const ServerLimits& limits) : most_(limits.waiting) {
    for (int number = 0; number < limits.threads; ++number) threads_.emplace_back([this] { work(); });
  }

  Enqueued enqueue(std::function<void()> task) override {
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.size() < most_) {
        waiting_.push_back(std::move(task));
        task = nullptr;
      }
    }
    if (task) {
      task();
    } else {
      wake_.notify_one();
    }
    return Enqueued(true);
  }

  void shutdown() override {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    wake_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

 private:
  void work() {
    for (std::unique_lock lock(mutex_);;) {
      wake_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const auto task = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

/// httplib's server on our own streams: one request per connection, with a time limit.
class Listener : public httplib::Server {
 public:
  Listener(int stop, const ServerLimits& limits) : stop_(stop), limits_(limits) {}
  void listen_here() {
    thread_ = std::this_thread::get_id();
    listen_after_bind();
  }

 private:
  bool process_and_close_socket(socket_t socket) override {
    const executor::Descriptor closed_at_the_end(socket);
    if (std::this_thread::get_id() == thread_) {
      constexpr std::string_view kBusy =
          "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
      send(socket, kBusy.data(), kBusy.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      return false;
    }
    PatientStream stream(socket, stop_, PatientStream::Clock::now() + limits_.patience, limits_.request_bytes);
    bool closed = false;
    // Multiple ranges of one answer would multiply its size.
    const bool answered =
        process_request(stream, true, closed, [](httplib::Request& request) { request.ranges.clear(); });
    stream.end();
    return answered;
  }

  int stop_;
  ServerLimits limits_;
  std::thread::id thread_;
};

std::vector<std::string> values(const httplib::Request& request, const char* header) {
  std::vector<std::string> found;
  for (std::size_t index = 0; index < request.get_header_value_count(header); ++index) {
    found.push_back(request.get_header_value(header, index));
  }
  return found;
}

Caller caller_of(const httplib::Request& request) {
  const auto joined = [&](const char* header) { return fmt::format("{}", fmt::join(values(request, header), ", ")); };
  return {.method = request.method,
          .path = request.path,
          .hosts = values(request, "Host"),
          .origin = joined("Origin"),
          .fetch_site = joined("Sec-Fetch-Site"),
          .authorization = joined("Authorization"),
          .content_type = joined("Content-Type"),
          .content_encoding = joined("Content-Encoding"),
          .content_length = joined("Content-Length"),
          .transfer_encoding = joined("Transfer-Encoding")};
}

/// `path`: answers that need the token must not be cached on disk.
void set_headers(const std::string& path, httplib::Response& response) {
  response.set_header("Content-Security-Policy",
                      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for "
                      "'script'; trusted-types 'none'");
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("X-Frame-Options", "DENY");
  response.set_header("Referrer-Policy", "no-referrer");
  response.set_header("Cross-Origin-Resource-Policy", "same-origin");
  response.set_header("Cross-Origin-Opener-Policy", "same-origin");
  response.set_header("Cache-Control", needs_token(path) ? "no-store" : "no-cache");
}

PageAnswer problem(int status, const std::string& what) {
  return {.status = status, .body = oracle::compact(nlohmann::json{{"error", what}})};
}

PageAnswer answer_of(const PageHandler& handler, const PageRequest& request) {
  try {
    return handler(request);
  } catch (const store::StoreError& error) {
    return problem(503, error.what());
  } catch (const std::exception& error) {
    return problem(500, error.what());
  }
}

/// An answer that the client already has (`known`) is not sent again.
void write_answer(const PageAnswer& answer, const std::string& known, httplib::Response& response) {
  response.status = answer.status;
  if (answer.status == 200) {
    const std::string tag = fmt::format("\"{:016x}\"", XXH3_64bits(answer.body.data(), answer.body.size()));
    response.set_header("ETag", tag);
    if (known.find(tag) != std::string::npos) {
      response.status = 304;
      return;
    }
  }
  response.set_content(answer.body, answer.type);
}

}  // namespace

struct PageServer::State {
  State(const WebConfig& config, Secret secret, PageHandler handle, ServerLimits bounds)
      : web(config),
        token(std::move(secret)),
        handler(std::move(handle)),
        limits(bounds),
        stop(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        listener(stop.number(), limits) {}

  void configure();
  void listen(int port);
  void answer(const httplib::Request& request, httplib::Response& response) const;
  void slow_down();

  WebConfig web;
  Secret token;
  PageHandler handler;
  ServerLimits limits;
  executor::Descriptor stop;
  std::mutex guessing;
  Listener listener;
  std::string address;
  std::atomic<bool> stopping = false, ended = false;
  std::thread thread;
};

/// Listens again after accept failed: httplib gives up at an error that concerns a single client.
void PageServer::State::listen(int port) {
  do {
    listener.listen_here();
  } while (!stopping && listener.bind_to_port(web.host, port));
  ended = true;
}

void PageServer::State::answer(const httplib::Request& request, httplib::Response& response) const {
  const PageRequest asked{.method = request.method == "POST" ? "POST" : "GET",
                          .path = request.path,
                          .parameters = {request.params.begin(), request.params.end()},
                          .body = request.body,
                          .client = request.remote_addr};
  write_answer(answer_of(handler, asked), request.get_header_value("If-None-Match"), response);
}

/// Limits wrong tokens to a rate over all clients together; the right token is never refused.
void PageServer::State::slow_down() {
  const std::lock_guard one_by_one(guessing);
  pollfd ending{.fd = stop.number(), .events = POLLIN, .revents = 0};
  (void)poll(&ending, 1, static_cast<int>(limits.wrong_token.count()));
}

void PageServer::State::configure() {
  listener.new_task_queue = [this] { return new Crew(limits); };  // deleted by httplib
  listener.set_payload_max_length(limits.request_bytes);
  listener.set_socket_options([](socket_t socket) {  // httplib's default lets two servers share a port
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    fcntl(socket, F_SETFD, FD_CLOEXEC);
  });
  // Requests without a body are answered before httplib matches patterns and files. Refusals come before the body is
  // read: httplib would unpack gzip and brotli, and checks their size before unpacking.
  listener.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
    set_headers(request.path, response);
    const Caller caller = caller_of(request);
    if (const auto refused = refusal(caller, {.names = web.names, .token = token})) {
      if (refused->status == 401 && !caller.authorization.empty()) slow_down();
      write_answer(problem(refused->status, refused->why), "", response);
      return Response::Handled;
    }
    if (request.method == "POST") return Response::Unhandled;
    answer(request, response);
    return Response::Handled;
  });
  listener.Post("/api/triage", [this](const auto& request, auto& response) { answer(request, response); });
  listener.set_error_handler(
      httplib::Server::HandlerWithResponse([](const httplib::Request&, httplib::Response& response) {
        if (!response.body.empty() || response.status == 304) return Response::Unhandled;
        const char* const what = response.status == 413 ? "the request is too large" : "the request cannot be parsed";
        response.set_content(problem(response.status, what).body, "application/json");
        return Response::Handled;
      }));
}

PageServer::PageServer(std::unique_ptr<State> state) : state_(std::move(state)) {}

PageServer::~PageServer() {
  state_->stopping = true;
  eventfd_write(state_->stop.number(), 1);
  // Repeatedly, because httplib ignores a stop before it listens.
  for (; !state_->ended; std::this_thread::sleep_for(std::chrono::milliseconds(1))) state_->listener.stop();
  state_->thread.join();
}

tl::expected<std::unique_ptr<PageServer>, std::string> PageServer::start(const WebConfig& config, Secret token,
                                                                         PageHandler handler, ServerLimits limits) {
  const WithoutSignals quietly;
  auto state = std::make_unique<State>(config, std::move(token), std::move(handler), limits);
  state->configure();
  auto& listener = state->listener;
  int port = config.port;
  errno = 0;
  if (port == 0) {
    port = listener.bind_to_any_port(config.host);
  } else if (!listener.bind_to_port(config.host, port)) {
    port = -1;
  }
  if (port < 0) {
    return tl::unexpected(fmt::format(
        "web.listen: cannot listen on {} port {}: {}; choose another port, 0 for any free one, or remove the setting",
        config.host, config.port, std::strerror(errno)));
  }
  state->address = fmt::format(
      "http://{}:{}", config.host.find(':') == std::string::npos ? config.host : "[" + config.host + "]", port);
  state->thread = std::thread([state = state.get(), port] { state->listen(port); });
  return std::unique_ptr<PageServer>(new PageServer(std::move(state)));
}

const std::string& PageServer::address() const { return state_->address; }

}  // namespace parityd::agent
