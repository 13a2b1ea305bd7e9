#include "grader/serve/http/server.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "grader/platform/failure.h"
#include "grader/serve/http/guard.h"

namespace ladder::cli::serve {
namespace {

constexpr ev_ssize_t kMostHeaders = 8192, kMostBody = 4096;
constexpr int kSeconds = 10;  // to send a request in
constexpr std::size_t kMostListeners = 16;

/// No other site may show, embed or read what this serves, and the page may load and run nothing but what
/// comes from here.
constexpr std::pair<const char*, const char*> kHeaders[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
     "connect-src "
     "'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cache-Control", "no-store"}};

std::string_view header(evhttp_request* request, const char* name) {
  const char* value = evhttp_find_header(evhttp_request_get_input_headers(request), name);
  return value != nullptr ? value : "";
}

void add_headers(evhttp_request* request, const char* type) {
  evkeyvalq* headers = evhttp_request_get_output_headers(request);
  for (const auto& [name, value] : kHeaders) evhttp_add_header(headers, name, value);
  evhttp_add_header(headers, "Content-Type", type);
}

const char* reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 409:
      return "Conflict";
    case 503:
      return "Service Unavailable";
    default:
      return "Error";
  }
}

void reply(evhttp_request* request, const Reply& with) {
  add_headers(request, with.type.c_str());
  evbuffer* body = evbuffer_new();
  evbuffer_add(body, with.body.data(), with.body.size());
  evhttp_send_reply(request, with.status, reason(with.status), body);
  evbuffer_free(body);
}

}  // namespace

std::string Request::parameter(const std::string& name) const {
  evkeyvalq values{};
  if (evhttp_parse_query_str(query.c_str(), &values) != 0) return {};
  const char* found = evhttp_find_header(&values, name.c_str());
  std::string value = found != nullptr ? found : "";
  evhttp_clear_headers(&values);
  return value;
}

struct Server::Impl {
  evhttp* http = nullptr;
  int port = 0;
  std::string token;
  Handler handler;
  std::function<void()> on_listener;
  std::vector<evhttp_request*> listeners;

  ~Impl() { evhttp_free(http); }

  static void take(evhttp_request* request, void* self) { static_cast<Impl*>(self)->take(request); }

  void take(evhttp_request* request) {
    const bool post = evhttp_request_get_command(request) == EVHTTP_REQ_POST;
    const std::string_view uri = evhttp_request_get_uri(request);
    const Admission admission =
        admit({post, uri, header(request, "Host"), header(request, "Origin"),
               header(request, "Sec-Fetch-Site"), !header(request, "X-Ladder").empty()},
              port, token);
    if (admission.status != 200)
      return reply(request, {admission.status, "text/plain; charset=utf-8", "This is not for you.\n"});
    if (admission.path == "/events" && !post) return listen(request);
    const std::size_t mark = uri.find('?');
    const std::string query(mark == uri.npos ? "" : uri.substr(mark + 1));
    reply(request, answer({post, admission.path, query}));
  }

  /// What goes wrong with one request ends neither the server nor the other pages.
  Reply answer(const Request& request) const {
    try {
      return handler(request);
    } catch (const std::exception& error) {
      return {500, "text/plain; charset=utf-8", error.what()};
    }
  }

  void listen(evhttp_request* request) {
    if (listeners.size() >= kMostListeners)
      return reply(request, {503, "text/plain; charset=utf-8", "Too many pages are open.\n"});
    evhttp_connection* connection = evhttp_request_get_connection(request);
    // Hours may pass between two events.
    bufferevent_set_timeouts(evhttp_connection_get_bufferevent(connection), nullptr, nullptr);
    evhttp_connection_set_closecb(connection, closed, this);
    add_headers(request, "text/event-stream; charset=utf-8");
    evhttp_send_reply_start(request, 200, "OK");
    listeners.push_back(request);
    write(request, ": begun\n\n");
    if (on_listener) on_listener();
  }

  /// A request whose connection the other side has closed was taken off it, and is freed by its end.
  static void closed(evhttp_connection* connection, void* self) {
    std::erase_if(static_cast<Impl*>(self)->listeners, [&](evhttp_request* request) {
      evhttp_connection* const of = evhttp_request_get_connection(request);
      if (of == nullptr) evhttp_send_reply_end(request);
      return of == nullptr || of == connection;
    });
  }

  static void write(evhttp_request* request, std::string_view text) {
    evbuffer* buffer = evbuffer_new();
    evbuffer_add(buffer, text.data(), text.size());
    evhttp_send_reply_chunk(request, buffer);
    evbuffer_free(buffer);
  }
};

Server::Server(event_base* base, int port, std::string token, Handler handler) : impl_(new Impl) {
  impl_->token = std::move(token);
  impl_->handler = std::move(handler);
  impl_->http = evhttp_new(base);
  evhttp_set_max_headers_size(impl_->http, kMostHeaders);
  evhttp_set_max_body_size(impl_->http, kMostBody);
  evhttp_set_timeout(impl_->http, kSeconds);
  evhttp_set_allowed_methods(impl_->http, EVHTTP_REQ_GET | EVHTTP_REQ_POST);
  evhttp_set_gencb(impl_->http, Impl::take, impl_.get());
  evhttp_bound_socket* bound =
      evhttp_bind_socket_with_handle(impl_->http, "127.0.0.1", static_cast<std::uint16_t>(port));
  if (bound == nullptr)
    throw Failure(ExitCode::environment,
                  fmt::format("nothing can listen on 127.0.0.1:{}: {}", port, std::strerror(errno)),
                  "Perhaps another program does; without --port a free one is taken.");
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(evhttp_bound_socket_get_fd(bound), reinterpret_cast<sockaddr*>(&address), &size);
  impl_->port = ntohs(address.sin_port);
}

Server::~Server() {
  for (evhttp_request* request : std::exchange(impl_->listeners, {})) {
    evhttp_connection_set_closecb(evhttp_request_get_connection(request), nullptr, nullptr);
    evhttp_send_reply_end(request);
  }
}

int Server::port() const { return impl_->port; }

std::string Server::address() const {
  return fmt::format("http://127.0.0.1:{}/{}/", impl_->port, impl_->token);
}

void Server::send(std::string_view name, std::string_view data) {
  const std::string text = fmt::format("event: {}\ndata: {}\n\n", name, data);
  for (evhttp_request* request : impl_->listeners) Impl::write(request, text);
}

void Server::on_listener(std::function<void()> then) { impl_->on_listener = std::move(then); }

}  // namespace ladder::cli::serve
