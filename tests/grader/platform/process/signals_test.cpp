#include "grader/platform/process/signals.h"

#include <array>
#include <catch2/catch_test_macros.hpp>

using namespace ladder;

namespace {

volatile sig_atomic_t caught = 0;
void note(int number) { caught = number; }

using Handler = void (*)(int);
Handler handler_of(int number) {
  struct sigaction now {};
  ::sigaction(number, nullptr, &now);
  return now.sa_handler;
}

bool is_blocked(int number) {
  sigset_t mask;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return sigismember(&mask, number) == 1;
}

}  // namespace

TEST_CASE("a guard handles and ignores signals, and puts back what was") {
  const Handler before = handler_of(SIGUSR1);
  caught = 0;
  {
    SignalGuard outer;
    outer.handle(std::array{SIGUSR1}, note);
    {
      SignalGuard inner;
      inner.ignore({SIGUSR1, SIGUSR2});
      ::raise(SIGUSR1);
      CHECK(caught == 0);
    }
    ::raise(SIGUSR1);
    CHECK(caught == SIGUSR1);
    outer.restore();
    CHECK(handler_of(SIGUSR1) == before);
  }
  CHECK(handler_of(SIGUSR1) == before);
}

TEST_CASE("a guard that changed a signal twice puts back what was before the first time") {
  const Handler before = handler_of(SIGUSR1);
  {
    SignalGuard guard;
    guard.ignore({SIGUSR1});
    guard.handle(std::array{SIGUSR1}, note);
  }
  CHECK(handler_of(SIGUSR1) == before);
}

TEST_CASE("a blocked signal waits until it is asked for") {
  caught = 0;
  SignalGuard outer;
  outer.handle(std::array{SIGUSR1}, note);
  {
    SignalGuard guard;
    guard.block({SIGUSR1});
    guard.block({SIGUSR2});
    CHECK_FALSE(guard.wait(1).has_value());
    ::raise(SIGUSR1);
    CHECK(guard.wait(1000) == SIGUSR1);
    CHECK_FALSE(sigismember(&guard.mask_before(), SIGUSR2));
    CHECK(is_blocked(SIGUSR2));
  }
  CHECK_FALSE(is_blocked(SIGUSR1));
  CHECK_FALSE(is_blocked(SIGUSR2));
  CHECK(caught == 0);
}

TEST_CASE("signals come out of a pipe, of the inner one where there are two") {
  const SignalPipe outer(std::array{SIGUSR1, SIGUSR2});
  CHECK_FALSE(outer.next().has_value());
  {
    const SignalPipe inner(std::array{SIGUSR1});
    ::raise(SIGUSR1);
    CHECK(inner.next() == SIGUSR1);
    CHECK_FALSE(outer.next().has_value());
  }
  ::raise(SIGUSR2);
  ::raise(SIGUSR1);
  CHECK(outer.next() == SIGUSR2);
  CHECK(outer.next() == SIGUSR1);
  CHECK_FALSE(outer.next().has_value());
}
