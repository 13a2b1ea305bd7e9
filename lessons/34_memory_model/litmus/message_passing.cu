// Message passing: a thread writes x and then raises the flag y; another one sees the flag: does it see x?
#include "litmus.h"

struct Shape {
  static constexpr int kThreads = 2, kSeen = 2;
  static constexpr bool kApart = true;
  __host__ __device__ static bool right(const unsigned* seen) { return !(seen[0] == 1 && seen[1] == 0); }
};

/// The flag's store and load; x is stored and loaded by relaxed accesses.
template <Order kStore, Order kLoad, Scope kScope = Scope::device>
struct Flagged : Shape {
  __device__ static void thread(unsigned number, Words w) {
    if (number == 0) {
      store<Order::relaxed, kScope>(w.x, 1);
      store<kStore, kScope>(w.y, 1);
    } else {
      w.seen[0] = load<kLoad, kScope>(w.y);
      w.seen[1] = load<Order::relaxed, kScope>(w.x);
    }
  }
};

struct Relaxed : Flagged<Order::relaxed, Order::relaxed> {
  static constexpr const char* kName = "relaxed";
};
struct ReleaseOnly : Flagged<Order::release, Order::relaxed> {
  static constexpr const char* kName = "release_only";
};
struct AcquireOnly : Flagged<Order::relaxed, Order::acquire> {
  static constexpr const char* kName = "acquire_only";
};
struct ReleaseAcquire : Flagged<Order::release, Order::acquire> {
  static constexpr const char* kName = "release_acquire";
};
struct BlockScope : Flagged<Order::release, Order::acquire, Scope::block> {
  static constexpr const char* kName = "block_scope_between_blocks";
};
struct WithinRelaxed : Flagged<Order::relaxed, Order::relaxed, Scope::block> {
  static constexpr const char* kName = "relaxed_within_a_block";
  static constexpr bool kApart = false;
};
struct WithinBlockScope : Flagged<Order::release, Order::acquire, Scope::block> {
  static constexpr const char* kName = "block_scope_within_a_block";
  static constexpr bool kApart = false;
};

/// Fences in the place of orders.
struct Fences : Shape {
  static constexpr const char* kName = "fences";
  __device__ static void thread(unsigned number, Words w) {
    if (number == 0) {
      store<Order::relaxed>(w.x, 1);
      fence();
      store<Order::relaxed>(w.y, 1);
    } else {
      w.seen[0] = load<Order::relaxed>(w.y);
      fence();
      w.seen[1] = load<Order::relaxed>(w.x);
    }
  }
};

/// The writer's fence on the wrong side of the flag.
struct FenceBehind : Shape {
  static constexpr const char* kName = "fence_behind_the_flag";
  __device__ static void thread(unsigned number, Words w) {
    if (number == 0) {
      store<Order::relaxed>(w.x, 1);
      store<Order::relaxed>(w.y, 1);
      fence();
    } else {
      w.seen[0] = load<Order::relaxed>(w.y);
      fence();
      w.seen[1] = load<Order::relaxed>(w.x);
    }
  }
};

int main(int argc, char** argv) {
  return run<Relaxed, ReleaseOnly, AcquireOnly, ReleaseAcquire, Fences, FenceBehind, BlockScope,
             WithinRelaxed, WithinBlockScope>(argc, argv);
}
