// HTTP on this machine alone: requests in, replies out, and events for pages that are open.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

struct event_base;

namespace ladder::cli::serve {

/// A request that was admitted.
struct Request {
  bool post = false;
  std::string path;   ///< behind the token: "/panel/lesson"
  std::string query;  ///< behind the question mark, not decoded: "rung=05.3"
  /// The value of a parameter of the query, decoded; empty where it is missing.
  std::string parameter(const std::string& name) const;
};

struct Reply {
  int status = 200;
  std::string type = "text/html; charset=utf-8";
  std::string body = {};
};

/// Listens on 127.0.0.1. What guard.h does not admit never reaches the handler; a request is 8 KiB of headers
/// and 4 KiB of body at most, and waited for ten seconds.
class Server {
 public:
  using Handler = std::function<Reply(const Request&)>;

  /// @param base     the loop that serves; outlives this
  /// @param port     0: any that is free
  /// @param handler  for all but `/events`, which is the stream of send()
  /// @throws Failure (environment) where nothing can listen there
  Server(event_base* base, int port, std::string token, Handler handler);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  int port() const;
  /// "http://127.0.0.1:PORT/TOKEN/"
  std::string address() const;

  /// Sends an event to all pages that are open: its name, and what it is about in one line.
  void send(std::string_view name, std::string_view data);
  /// Called when a page begins to listen.
  void on_listener(std::function<void()> then);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ladder::cli::serve
