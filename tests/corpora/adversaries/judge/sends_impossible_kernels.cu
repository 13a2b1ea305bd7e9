// Reports launches of no threads, of negative and of endless ones, for the judge to reckon with.
// outcome: wrong_values|input_changed|crashed
// says: .
#include "adversary.h"

namespace {
void say(const std::string& text) {
  const std::uint32_t length = static_cast<std::uint32_t>(text.size());
  (void)!write(3, &length, sizeof length);
  (void)!write(3, text.data(), text.size());
}
__attribute__((constructor)) void report() {
  say(R"({"ready":true})");
  char bytes[65536];
  for (;;) {
    const ssize_t n = recv(3, bytes, sizeof bytes, 0);
    if (n <= 0) _exit(0);
    const std::string message(bytes + 4, static_cast<std::size_t>(n > 4 ? n - 4 : 0));
    if (message.find("buffers") != std::string::npos) {
      say(R"({"sets":18446744073709551615})");
      continue;
    }
    say(R"({"elapsed_ms":-1e308,"exception":"","findings":[],"step":-7,)"
        R"("kernels":[{"block":[0,0,0],"grid":[-1,2147483647,-2147483648]},{"block":[2147483647,2147483647,-1]}],)"
        R"("returned":{"code":0,"name":"","text":""},"left_behind":{"code":0,"name":"","text":""},)"
        R"("synchronize":{"code":0,"name":"","text":""},"harness":{"code":0,"name":"","text":""}})");
  }
}
}  // namespace
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) { return cudaSuccess; }
