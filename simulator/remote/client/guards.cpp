#include "simulator/remote/client/guards.h"

#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "simulator/memory/host_fault.h"

namespace sim::remote {
namespace {

using cudart::GuardedPages;
constexpr std::size_t kMost = 64;  // ranges, and touches; a handler of signals can allocate nothing

struct State {
  std::mutex lock;
  std::array<GuardedPages, kMost> pages;
  std::atomic<std::size_t> guarded{0};
  std::array<GuardHit, kMost> touches;
  std::atomic<std::size_t> touched{0};
  struct sigaction before {};
  bool installed = false;
};

State& state() {
  static State& only = *new State;
  return only;
}

void protect(const GuardedPages& pages, int how) {
  mprotect(reinterpret_cast<void*>(pages.first), pages.end - pages.first, how);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  State& s = state();
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  bool ours = false;
  for (std::size_t i = 0; i < s.guarded; ++i) {
    const GuardedPages& pages = s.pages[i];
    if (address < pages.first || address >= pages.end) continue;
    const std::size_t n = s.touched;
    if (!ours && n < kMost) {
      s.touches[n] = {address, fault_wrote(context).value_or(pages.readable != 0)};
      s.touched = n + 1;
    }
    ours = true;
    protect(pages, PROT_READ | PROT_WRITE);
  }
  if (!ours)
    sigaction(signal, &s.before, nullptr);  // what would have happened happens when it is tried again
}

}  // namespace

std::vector<GuardHit> lift_guards() {
  State& s = state();
  if (s.guarded == 0 && s.touched == 0) return {};
  std::lock_guard hold(s.lock);
  for (std::size_t i = 0; i < s.guarded; ++i) protect(s.pages[i], PROT_READ | PROT_WRITE);
  s.guarded = 0;
  const std::size_t n = s.touched.exchange(0);
  return {s.touches.begin(), s.touches.begin() + static_cast<std::ptrdiff_t>(n)};
}

void set_guards(const std::vector<GuardedPages>& pages) {
  State& s = state();
  std::lock_guard hold(s.lock);
  if (!s.installed) {
    s.installed = true;
    struct sigaction action {};
    action.sa_sigaction = &on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &action, &s.before);
  }
  const std::size_t n = std::min(pages.size(), kMost);
  std::copy_n(pages.begin(), n, s.pages.begin());
  s.guarded = n;
  for (std::size_t i = 0; i < n; ++i) protect(s.pages[i], s.pages[i].readable != 0 ? PROT_READ : PROT_NONE);
}

}  // namespace sim::remote
