// The server at a socket: what it answers, what it refuses, and that neither ends it.
#include "grader/serve/http/server.h"

#include <arpa/inet.h>
#include <event2/event.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "grader/platform/failure.h"
#include "grader/platform/process/unique_fd.h"
#include "grader/serve/http/loop.h"

using namespace ladder::cli::serve;
using ladder::UniqueFd;

namespace {

const std::string kToken = "0123456789abcdef0123456789abcdef";

/// A server in a thread of its own, until it goes out of scope.
class Served {
 public:
  Served()
      : server_(loop_.base(), 0, kToken,
                [this](const Request& request) {
                  ++handled;
                  if (request.path == "/throws") throw std::runtime_error("went wrong");
                  return Reply{request.path == "/none" ? 404 : 200, "text/plain",
                               request.path + " " + request.parameter("name")};
                }),
        stop_(Waiting::readable(loop_, woken_.read.get(), [this] { loop_.end(); })),
        thread_([this] { loop_.run(); }) {}
  ~Served() {
    woken_.write.reset();
    thread_.join();
  }
  int port() const { return server_.port(); }
  std::atomic<int> handled = 0;  ///< requests that reached the handler

 private:
  Loop loop_;
  ladder::Pipe woken_;
  Server server_;
  Waiting stop_;
  std::thread thread_;
};

UniqueFd connect_to(int port, const char* address = "127.0.0.1") {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  ::inet_pton(AF_INET, address, &to.sin_addr);
  const timeval patience = {15, 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) return {};
  return fd;
}

/// What comes until the server closes the connection, or @p until was seen.
std::string answer(const UniqueFd& fd, const std::string& until = {}) {
  std::string all;
  char buffer[4096];
  for (ssize_t n; (n = ::recv(fd.get(), buffer, sizeof buffer, 0)) > 0;) {
    all.append(buffer, static_cast<std::size_t>(n));
    if (!until.empty() && all.find(until) != all.npos) break;
  }
  return all;
}

std::string ask(int port, const std::string& request) {
  const UniqueFd fd = connect_to(port);
  REQUIRE(fd);
  (void)::send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL);
  return answer(fd);
}

/// A request of the page's own script.
std::string own(int port, const std::string& method, const std::string& path, const std::string& more = {}) {
  return fmt::format(
      "{0} /{1}{2} HTTP/1.1\r\nHost: 127.0.0.1:{3}\r\nOrigin: http://127.0.0.1:{3}\r\nX-Ladder: "
      "1\r\nConnection: "
      "close\r\n{4}\r\n",
      method, kToken, path, port, more);
}

int status_of(const std::string& reply) {
  return reply.starts_with("HTTP/1.1 ") ? std::stoi(reply.substr(9, 3)) : 0;
}

}  // namespace

TEST_CASE("an admitted request reaches the handler, with its parameters decoded") {
  Served served;
  const std::string reply = ask(served.port(), own(served.port(), "GET", "/panel?name=a%20b%2Fc"));
  CHECK(status_of(reply) == 200);
  CHECK(reply.ends_with("/panel a b/c"));
}

TEST_CASE("every reply forbids other sites to show, read or extend it, refusals among them") {
  Served served;
  for (const std::string& request : {own(served.port(), "GET", "/"), own(served.port(), "GET", "/none"),
                                     std::string("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")}) {
    const std::string reply = ask(served.port(), request);
    for (const char* header :
         {"Content-Security-Policy: default-src 'none'; script-src 'self';", "frame-ancestors 'none'",
          "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer",
          "Cross-Origin-Resource-Policy: same-origin", "Cache-Control: no-store"})
      CHECK(reply.find(header) != std::string::npos);
    CHECK(reply.find("Access-Control-Allow") == std::string::npos);
  }
}

TEST_CASE("wrong tokens, hosts and origins do not reach the handler") {
  Served served;
  const std::string port = std::to_string(served.port());
  const std::string good = "GET /" + kToken + "/ HTTP/1.1\r\nConnection: close\r\n";
  CHECK(status_of(ask(served.port(),
                      "GET / HTTP/1.1\r\nConnection: close\r\nHost: 127.0.0.1:" + port + "\r\n\r\n")) == 404);
  CHECK(status_of(ask(served.port(), good + "Host: evil.example:" + port + "\r\n\r\n")) == 403);
  CHECK(status_of(ask(served.port(), good + "\r\n")) == 403);  // no Host at all
  CHECK(status_of(ask(served.port(),
                      good + "Host: 127.0.0.1:" + port + "\r\nOrigin: http://evil.example\r\n\r\n")) == 403);
  // Of two headers neither is left to choose.
  CHECK(status_of(ask(served.port(), good + "Host: evil.example\r\nHost: 127.0.0.1:" + port + "\r\n\r\n")) ==
        403);
  // The whole address in the request line, as a proxy is asked.
  const std::string absolute =
      ask(served.port(), "GET http://evil.example/" + kToken +
                             "/ HTTP/1.1\r\nConnection: close\r\nHost: 127.0.0.1:" + port + "\r\n\r\n");
  CHECK(status_of(absolute) != 200);
  CHECK(served.handled == 0);
}

TEST_CASE("a form or a script of another site changes nothing") {
  Served served;
  const std::string port = std::to_string(served.port());
  const std::string form = "POST /" + kToken +
                           "/open?line=1 HTTP/1.1\r\nConnection: close\r\nHost: 127.0.0.1:" + port +
                           "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 0\r\n";
  CHECK(status_of(ask(served.port(), form + "Origin: http://evil.example\r\n\r\n")) == 403);
  CHECK(status_of(ask(served.port(), form + "Origin: null\r\n\r\n")) == 403);
  CHECK(status_of(ask(served.port(), form + "\r\n")) == 403);
  // The question whether a header of our own may be sent from elsewhere gets no yes.
  const std::string preflight = ask(served.port(), own(served.port(), "OPTIONS", "/open?line=1",
                                                       "Access-Control-Request-Headers: x-ladder\r\n"));
  CHECK(status_of(preflight) != 200);
  CHECK(preflight.find("Access-Control") == std::string::npos);
  CHECK(served.handled == 0);
  CHECK(status_of(ask(served.port(), own(served.port(), "POST", "/open?line=1", "Content-Length: 0\r\n"))) ==
        200);
}

TEST_CASE("methods that nothing needs are refused") {
  Served served;
  for (const char* method : {"PUT", "DELETE", "TRACE", "OPTIONS", "CONNECT", "PATCH", "HEAD", "NONSENSE"}) {
    CAPTURE(method);
    CHECK(status_of(ask(served.port(), own(served.port(), method, "/"))) != 200);
  }
  CHECK(served.handled == 0);
}

TEST_CASE("requests that are too large are refused, and the server lives on") {
  Served served;
  const std::string long_path = own(served.port(), "GET", "/" + std::string(100'000, 'a'));
  const std::string long_header =
      own(served.port(), "GET", "/", "X-Long: " + std::string(100'000, 'a') + "\r\n");
  std::string many_headers;
  for (int i = 0; i < 2'000; ++i) many_headers += fmt::format("X-{}: {}\r\n", i, i);
  const std::string long_body =
      own(served.port(), "POST", "/open", "Content-Length: 100000\r\n") + std::string(100'000, 'a');
  const std::string said_long =
      own(served.port(), "POST", "/open", "Content-Length: 99999999999999999999\r\n");
  const std::string negative = own(served.port(), "POST", "/open", "Content-Length: -1\r\n");
  const std::string chunked =
      own(served.port(), "POST", "/open", "Transfer-Encoding: chunked\r\n") + "FFFFFFFFFFFFFFFF\r\nx";
  for (const std::string& request :
       {long_path, long_header, own(served.port(), "GET", "/", many_headers), long_body, said_long, negative,
        chunked, std::string(100'000, 'x'), std::string("\r\n\r\n\0\xff", 6)}) {
    const UniqueFd fd = connect_to(served.port());
    REQUIRE(fd);
    (void)::send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL);
    ::shutdown(fd.get(), SHUT_WR);
    CHECK(status_of(answer(fd)) != 200);
  }
  CHECK(served.handled == 0);
  CHECK(status_of(ask(served.port(), own(served.port(), "GET", "/"))) == 200);
}

TEST_CASE("what goes wrong with one request is that request's answer") {
  Served served;
  CHECK(status_of(ask(served.port(), own(served.port(), "GET", "/throws"))) == 500);
  CHECK(status_of(ask(served.port(), own(served.port(), "GET", "/"))) == 200);
}

TEST_CASE("more pages than a person opens are turned away, and closed ones make room") {
  Served served;
  std::vector<UniqueFd> open;
  for (int i = 0; i < 16; ++i) {
    open.push_back(connect_to(served.port()));
    const std::string request = own(served.port(), "GET", "/events");
    REQUIRE(::send(open.back().get(), request.data(), request.size(), MSG_NOSIGNAL) > 0);
    REQUIRE(answer(open.back(), ": begun").find("text/event-stream") != std::string::npos);
  }
  CHECK(status_of(ask(served.port(), own(served.port(), "GET", "/events"))) == 503);
  open.clear();
  bool again = false;
  for (int i = 0; i < 100 && !again; ++i) {
    const UniqueFd fd = connect_to(served.port());
    const std::string request = own(served.port(), "GET", "/events");
    (void)::send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL);
    again = status_of(answer(fd, "\r\n\r\n")) == 200;
    if (!again) ::usleep(20'000);
  }
  CHECK(again);
}

TEST_CASE("only this machine reaches it") {
  Served served;
  CHECK(connect_to(served.port(), "127.0.0.1"));
  CHECK_FALSE(connect_to(served.port(), "127.0.0.2"));  // as good as any other address of the machine
}

TEST_CASE("a port that is taken is told so") {
  Served served;
  Loop loop;
  CHECK_THROWS_AS(Server(loop.base(), served.port(), kToken, [](const Request&) { return Reply{}; }),
                  ladder::cli::Failure);
}
