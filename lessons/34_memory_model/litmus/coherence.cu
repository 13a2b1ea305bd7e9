// Coherence: one word, written 1 and then 2. May a thread that reads it twice have seen it go back?
#include "litmus.h"

struct Shape {
  static constexpr int kThreads = 2, kSeen = 2;
  static constexpr bool kApart = true;
  __host__ __device__ static bool right(const unsigned* seen) { return seen[0] <= seen[1]; }
};

struct Relaxed : Shape {
  static constexpr const char* kName = "relaxed";
  __device__ static void thread(unsigned number, Words w) {
    if (number == 0) {
      store<Order::relaxed>(w.x, 1);
      store<Order::relaxed>(w.x, 2);
    } else {
      w.seen[0] = load<Order::relaxed>(w.x);
      w.seen[1] = load<Order::relaxed>(w.x);
    }
  }
};

/// Plain accesses, and relaxed ones of a scope that leaves the other thread out, promise not even that.
struct Plain : Shape {
  static constexpr const char* kName = "plain";
  __device__ static void thread(unsigned number, Words w) {
    if (number == 0) {
      asm volatile("st.global.u32 [%0], 1; st.global.u32 [%0], 2;" ::"l"(w.x) : "memory");
    } else {
      asm volatile("ld.global.u32 %0, [%2]; ld.global.u32 %1, [%2];"
                   : "=r"(w.seen[0]), "=r"(w.seen[1])
                   : "l"(w.x)
                   : "memory");
    }
  }
};

int main(int argc, char** argv) { return run<Relaxed, Plain>(argc, argv); }
