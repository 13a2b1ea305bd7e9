#include "grader/serve/http/loop.h"

#include <event2/event.h>

#include "grader/platform/failure.h"

namespace ladder::cli::serve {

Loop::Loop() : base_(event_base_new()) {
  if (base_ == nullptr) throw Failure(ExitCode::environment, "the system gives no loop of events");
}
Loop::~Loop() { event_base_free(base_); }
void Loop::run() { event_base_dispatch(base_); }
void Loop::end() { event_base_loopbreak(base_); }

struct Waiting::Impl {
  std::function<void()> then;
  event* waits = nullptr;
  ~Impl() { event_free(waits); }
};

Waiting Waiting::make(const Loop& loop, int fd, short what, std::function<void()> then) {
  auto impl = std::make_shared<Impl>();
  impl->then = std::move(then);
  impl->waits = event_new(
      loop.base(), fd, what,
      [](evutil_socket_t, short, void* of) {
        const std::function<void()> called = static_cast<Impl*>(of)->then;  // which may end what called it
        called();
      },
      impl.get());
  return Waiting(std::move(impl));
}

Waiting Waiting::readable(const Loop& loop, int fd, std::function<void()> then) {
  Waiting waiting = make(loop, fd, EV_READ | EV_PERSIST, std::move(then));
  event_add(waiting.impl_->waits, nullptr);
  return waiting;
}

Waiting Waiting::signal(const Loop& loop, int number, std::function<void()> then) {
  Waiting waiting = make(loop, number, EV_SIGNAL | EV_PERSIST, std::move(then));
  event_add(waiting.impl_->waits, nullptr);
  return waiting;
}

Waiting Waiting::timer(const Loop& loop, std::function<void()> then) {
  return make(loop, -1, 0, std::move(then));
}

void Waiting::start(std::chrono::milliseconds time) {
  const timeval in = {time.count() / 1000, time.count() % 1000 * 1000};
  event_add(impl_->waits, &in);
}

}  // namespace ladder::cli::serve
