// Crashes, and lets its signal handler, its handlers of exit and its destructors say that all went well.
// outcome: timed_out
// says: no end after
#include "adversary.h"

namespace {
void forge() {
  const std::string text = R"(@GOOD_REPLY@)";
  const std::uint32_t length = static_cast<std::uint32_t>(text.size());
  (void)!write(3, &length, sizeof length);
  (void)!write(3, text.data(), text.size());
}
struct AtEnd {
  ~AtEnd() { forge(); }
} at_end;
}  // namespace
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  std::atexit(forge);
  on_exit([](int, void*) { forge(); }, nullptr);
  for (const int number : {SIGSEGV, SIGTERM, SIGALRM, SIGXCPU})
    signal(number, [](int) {
      forge();
      sleep(1000);
    });
  *static_cast<volatile int*>(nullptr) = 1;
  return cudaSuccess;
}
