// Store buffering: two threads raise a flag each and look at the other's: may both have overlooked it? It is
// what a lock of two flags stands on (Dekker's), and release and acquire are not enough.
#include "litmus.h"

struct Shape {
  static constexpr int kThreads = 2, kSeen = 2;
  static constexpr bool kApart = true;
  __host__ __device__ static bool right(const unsigned* seen) { return seen[0] == 1 || seen[1] == 1; }
};

template <Order kStore, Order kLoad>
struct Flags : Shape {
  __device__ static void thread(unsigned number, Words w) {
    store<kStore>(number == 0 ? w.x : w.y, 1);
    w.seen[number] = load<kLoad>(number == 0 ? w.y : w.x);
  }
};

struct Relaxed : Flags<Order::relaxed, Order::relaxed> {
  static constexpr const char* kName = "relaxed";
};
struct ReleaseAcquire : Flags<Order::release, Order::acquire> {
  static constexpr const char* kName = "release_acquire";
};
struct WithinRelaxed : Flags<Order::relaxed, Order::relaxed> {
  static constexpr const char* kName = "relaxed_within_a_block";
  static constexpr bool kApart = false;
};

struct Fences : Shape {
  static constexpr const char* kName = "fences";
  __device__ static void thread(unsigned number, Words w) {
    store<Order::relaxed>(number == 0 ? w.x : w.y, 1);
    fence();
    w.seen[number] = load<Order::relaxed>(number == 0 ? w.y : w.x);
  }
};
struct FencesOfOneOrder : Shape {
  static constexpr const char* kName = "fences_of_one_order";
  __device__ static void thread(unsigned number, Words w) {
    store<Order::relaxed>(number == 0 ? w.x : w.y, 1);
    fence_sc();
    w.seen[number] = load<Order::relaxed>(number == 0 ? w.y : w.x);
  }
};

int main(int argc, char** argv) {
  return run<Relaxed, ReleaseAcquire, Fences, FencesOfOneOrder, WithinRelaxed>(argc, argv);
}
