// Load buffering: each of two threads reads what the other one writes behind its own read: may both have read
// it?
#include "litmus.h"

struct Shape {
  static constexpr int kThreads = 2, kSeen = 2;
  static constexpr bool kApart = true;
  __host__ __device__ static bool right(const unsigned* seen) { return seen[0] == 0 || seen[1] == 0; }
};

template <Order kStore, Order kLoad>
struct Exchanged : Shape {
  __device__ static void thread(unsigned number, Words w) {
    w.seen[number] = load<kLoad>(number == 0 ? w.x : w.y);
    store<kStore>(number == 0 ? w.y : w.x, 1);
  }
};

struct Relaxed : Exchanged<Order::relaxed, Order::relaxed> {
  static constexpr const char* kName = "relaxed";
};
struct ReleaseAcquire : Exchanged<Order::release, Order::acquire> {
  static constexpr const char* kName = "release_acquire";
};

int main(int argc, char** argv) { return run<Relaxed, ReleaseAcquire>(argc, argv); }
