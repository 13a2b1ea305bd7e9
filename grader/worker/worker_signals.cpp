#include "grader/worker/worker_signals.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace ladder {
namespace {

LastWords* page = nullptr;  // a signal handler can reach nothing more elaborate

void on_fatal_signal(int signal_number, siginfo_t* info, void*) {
  page->signal = signal_number;
  page->signal_code = info->si_code;
  page->address = reinterpret_cast<std::uint64_t>(info->si_addr);
  signal(signal_number, SIG_DFL);
  // A fault happens again on return; a signal that was raised has to be raised again.
  if (info->si_code <= 0) raise(signal_number);
}

}  // namespace

LastWords& last_words() {
  if (page == nullptr) {
    void* at = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, kLastWordsFd, 0);
    if (at == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "the page for last words");
    page = static_cast<LastWords*>(at);
  }
  return *page;
}

void note_fatal_signals() {
  (void)last_words();
  static std::byte stack[65536];  // a stack overflow leaves no room on the stack itself
  const stack_t alternative{stack, 0, sizeof(stack)};
  sigaltstack(&alternative, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_fatal_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(number, &action, nullptr);
}

void leave_quickly_on_exit() {
  on_exit(
      [](int status, void*) {
        std::fflush(nullptr);
        _exit(status);
      },
      nullptr);
}

void note_arrays(const ArgumentSet& arguments) {
  LastWords& words = last_words();
  words.arrays_used = 0;
  for (const auto& array : arguments.arrays()) {
    if (words.arrays_used == LastWords::kMostArrays) return;
    LastWords::Array& entry = words.arrays[words.arrays_used++];
    entry.begin = reinterpret_cast<std::uint64_t>(array->data());
    entry.end = entry.begin + array->bytes();
    entry.on_device = array->on_device() ? 1 : 0;
    std::strncpy(entry.name, array->buffer().name.c_str(), sizeof(entry.name) - 1);
  }
}

}  // namespace ladder
