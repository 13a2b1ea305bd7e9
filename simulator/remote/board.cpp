#include "simulator/remote/board.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sim::remote {
namespace {

constexpr int kSpins = 2000;  // a few microseconds: most calls are answered by then

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, nullptr, nullptr, 0);
}

}  // namespace

void await(Slot& slot, Slot::Turn whose) {
  for (int i = 0; i < kSpins; ++i) {
    if (slot.turn.load(std::memory_order_acquire) == whose) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  for (;;) {
    const std::uint32_t now = slot.turn.load(std::memory_order_acquire);
    if (now == whose) return;
    futex(slot.turn, FUTEX_WAIT, now);
  }
}

void pass(Slot& slot, Slot::Turn to) {
  slot.turn.store(to, std::memory_order_release);
  futex(slot.turn, FUTEX_WAKE, 1);
}

}  // namespace sim::remote
