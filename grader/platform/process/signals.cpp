#include "grader/platform/process/signals.h"

#include <cerrno>
#include <ctime>

namespace ladder {
namespace {

volatile int wake_fd = -1;  // where the handler writes to

void write_number(int number) {
  const int saved = errno;
  const char byte = static_cast<char>(number);
  if (wake_fd >= 0) (void)!::write(wake_fd, &byte, 1);
  errno = saved;
}

}  // namespace

void SignalGuard::handle(std::span<const int> numbers, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  for (const int number : numbers) ::sigaction(number, &action, &before_.emplace_back(number, action).second);
}

void SignalGuard::block(std::initializer_list<int> numbers) {
  sigset_t more, now;
  sigemptyset(&more);
  for (const int number : numbers) sigaddset(&more, number);
  ::pthread_sigmask(SIG_BLOCK, &more, &now);
  if (!blocks_) mask_ = now;
  if (!blocks_) sigemptyset(&blocked_);
  for (const int number : numbers) sigaddset(&blocked_, number);
  blocks_ = true;
}

std::optional<int> SignalGuard::wait(int milliseconds) const {
  const timespec time{milliseconds / 1000, (milliseconds % 1000) * 1'000'000L};
  const int number = ::sigtimedwait(&blocked_, nullptr, &time);
  return number < 0 ? std::nullopt : std::optional(number);
}

void SignalGuard::undo_handlers() const {
  for (auto at = before_.rbegin(); at != before_.rend(); ++at) ::sigaction(at->first, &at->second, nullptr);
}

void SignalGuard::restore() {
  undo_handlers();
  before_.clear();
  if (std::exchange(blocks_, false)) ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
}

SignalPipe::SignalPipe(std::span<const int> numbers, int flags) : outer_(wake_fd) {
  do_not_block(pipe_.read.get());
  do_not_block(pipe_.write.get());
  wake_fd = pipe_.write.get();
  guard_.handle(numbers, write_number, flags);
}

SignalPipe::~SignalPipe() {
  guard_.restore();
  wake_fd = outer_;
}

std::optional<int> SignalPipe::next() const {
  char number = 0;
  if (::read(pipe_.read.get(), &number, 1) != 1) return std::nullopt;
  return number;
}

}  // namespace ladder
