// Independent reads of independent writes (IRIW): two threads write, two others read both words. May one
// reader have seen x first, and the other one y?
#include "litmus.h"

struct Shape {
  static constexpr int kThreads = 4, kSeen = 4;
  static constexpr bool kApart = true;
  __host__ __device__ static bool right(const unsigned* seen) {
    return !(seen[0] == 1 && seen[1] == 0 && seen[2] == 1 && seen[3] == 0);
  }
};

template <Order kStore, Order kLoad, bool kFence = false>
struct Readers : Shape {
  __device__ static void thread(unsigned number, Words w) {
    if (number < 2) return store<kStore>(number == 0 ? w.x : w.y, 1);
    w.seen[2 * number - 4] = load<kLoad>(number == 2 ? w.x : w.y);
    if constexpr (kFence) fence_sc();
    w.seen[2 * number - 3] = load<kLoad>(number == 2 ? w.y : w.x);
  }
};

struct Relaxed : Readers<Order::relaxed, Order::relaxed> {
  static constexpr const char* kName = "relaxed";
};
struct ReleaseAcquire : Readers<Order::release, Order::acquire> {
  static constexpr const char* kName = "release_acquire";
};
struct FencesOfOneOrder : Readers<Order::relaxed, Order::relaxed, true> {
  static constexpr const char* kName = "fences_of_one_order";
};

int main(int argc, char** argv) { return run<Relaxed, ReleaseAcquire, FencesOfOneOrder>(argc, argv); }
