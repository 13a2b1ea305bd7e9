// libevent's loop and what it waits for, as objects.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

struct event;
struct event_base;

namespace ladder::cli::serve {

/// A loop for one thread.
class Loop {
 public:
  Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop();

  event_base* base() const { return base_; }
  /// Until end() is called.
  void run();
  void end();

 private:
  event_base* base_;
};

/// Calls a function each time that something happens, for as long as this lives.
class Waiting {
 public:
  static Waiting readable(const Loop& loop, int fd, std::function<void()> then);
  static Waiting signal(const Loop& loop, int number, std::function<void()> then);
  /// Whenever start() was called that long ago.
  static Waiting timer(const Loop& loop, std::function<void()> then);
  void start(std::chrono::milliseconds time);

 private:
  struct Impl;
  explicit Waiting(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  static Waiting make(const Loop& loop, int fd, short what, std::function<void()> then);
  std::shared_ptr<Impl> impl_;
};

}  // namespace ladder::cli::serve
