#include "simulator/remote/board.h"

#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sim::remote {
namespace {

constexpr int kSpins = 2000;  // a few microseconds: most calls are answered by then

constexpr timespec kPatience{1, 0};

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* time_out = nullptr) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, time_out, nullptr, 0);
}

bool hung_up(int socket) {
  pollfd other{socket, POLLRDHUP, 0};
  return poll(&other, 1, 0) == 1;
}

}  // namespace

void await(Slot& slot, Slot::Turn whose, int lifeline) {
  for (int i = 0; i < kSpins; ++i) {
    if (slot.turn.load(std::memory_order_acquire) == whose) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  for (;;) {
    const std::uint32_t now = slot.turn.load(std::memory_order_acquire);
    if (now == whose) return;
    futex(slot.turn, FUTEX_WAIT, now, lifeline < 0 ? nullptr : &kPatience);
    if (lifeline >= 0 && hung_up(lifeline)) _exit(1);
  }
}

void pass(Slot& slot, Slot::Turn to) {
  slot.turn.store(to, std::memory_order_release);
  futex(slot.turn, FUTEX_WAKE, 1);
}

}  // namespace sim::remote
