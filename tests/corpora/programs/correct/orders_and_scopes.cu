// Correct: cuda::atomic and cuda::atomic_ref with the orders and scopes they need, semaphores and latches.
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>

#include "../case.h"

#pragma nv_diag_suppress static_var_with_dynamic_init

using DeviceRef = cuda::atomic_ref<int, cuda::thread_scope_device>;
using BlockRef = cuda::atomic_ref<int, cuda::thread_scope_block>;

// Release and acquire, as the language means them.
__global__ void ref_message(int* data, int* flag, int* out) {
  DeviceRef ready(*flag);
  if (blockIdx.x == 0) {
    *data = 42;
    ready.store(1, cuda::std::memory_order_release);
  } else {
    while (ready.load(cuda::std::memory_order_acquire) == 0) {
    }
    *out = *data;
  }
}
CASE(message_through_an_atomic_ref) {
  Buffer<int> data(1), flag(1), out(1);
  ref_message<<<2, 1>>>(data, flag, out);
  finish();
  CHECK_THAT(out.host()[0] == 42);
}

// Relaxed accesses with a fence on each side.
__global__ void fenced_message(int* data, int* flag, int* out) {
  DeviceRef ready(*flag);
  if (blockIdx.x == 0) {
    *data = 42;
    cuda::atomic_thread_fence(cuda::std::memory_order_release, cuda::thread_scope_device);
    ready.store(1, cuda::std::memory_order_relaxed);
  } else {
    while (ready.load(cuda::std::memory_order_relaxed) == 0) {
    }
    cuda::atomic_thread_fence(cuda::std::memory_order_acquire, cuda::thread_scope_device);
    *out = *data;
  }
}
CASE(relaxed_flag_between_two_fences) {
  Buffer<int> data(1), flag(1), out(1);
  fenced_message<<<2, 1>>>(data, flag, out);
  finish();
  CHECK_THAT(out.host()[0] == 42);
}

// Within a block a message of the block's scope is enough.
__global__ void block_message(int* out) {
  __shared__ int data, flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  BlockRef ready(flag);
  if (threadIdx.x == 0) {
    data = 7;
    ready.store(1, cuda::std::memory_order_release);
  } else if (threadIdx.x == 32) {
    while (ready.load(cuda::std::memory_order_acquire) == 0) {
    }
    *out = data;
  }
}
CASE(message_of_the_blocks_scope) {
  Buffer<int> out(1);
  block_message<<<1, 64>>>(out);
  finish();
  CHECK_THAT(out.host()[0] == 7);
}

// Sequentially consistent by default.
__global__ void default_order(int* data, cuda::atomic<int, cuda::thread_scope_device>* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 5;
    flag->store(1);
  } else {
    while (flag->load() == 0) {
    }
    *out = *data;
  }
}
CASE(message_in_the_default_order) {
  Buffer<int> data(1), flag(1), out(1);
  default_order<<<2, 1>>>(data, reinterpret_cast<cuda::atomic<int, cuda::thread_scope_device>*>((int*)flag),
                          out);
  finish();
  CHECK_THAT(out.host()[0] == 5);
}

// wait() and notify: the same as a loop of acquiring loads.
__global__ void waits(int* data, cuda::atomic<int, cuda::thread_scope_device>* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 5;
    flag->store(1, cuda::std::memory_order_release);
    flag->notify_all();
  } else {
    flag->wait(0, cuda::std::memory_order_acquire);
    *out = *data;
  }
}
CASE(atomic_wait) {
  Buffer<int> data(1), flag(1), out(1);
  waits<<<2, 1>>>(data, reinterpret_cast<cuda::atomic<int, cuda::thread_scope_device>*>((int*)flag), out);
  finish();
  CHECK_THAT(out.host()[0] == 5);
}

// The last block is known by an acquire-release counter; no fence besides.
__global__ void last_by_counter(int* parts, int* count, int* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = blockIdx.x + 1;
    DeviceRef done(*count);
    last = done.fetch_add(1, cuda::std::memory_order_acq_rel) == int(gridDim.x) - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < gridDim.x) atomicAdd(out, parts[threadIdx.x]);
}
CASE(last_block_by_acquire_release) {
  Buffer<int> parts(8), count(1), out(1);
  last_by_counter<<<8, 32>>>(parts, count, out);
  finish();
  CHECK_THAT(out.host()[0] == 36);
}

// A lock of compare-exchange with acquire and store with release.
__global__ void locked(int* lock, int* total) {
  DeviceRef l(*lock);
  if (threadIdx.x == 0) {
    int expected = 0;
    while (!l.compare_exchange_weak(expected, 1, cuda::std::memory_order_acquire,
                                    cuda::std::memory_order_relaxed))
      expected = 0;
    *total += blockIdx.x;
    l.store(0, cuda::std::memory_order_release);
  }
}
CASE(lock_by_compare_exchange) {
  Buffer<int> lock(1), total(1);
  locked<<<8, 32>>>(lock, total);
  finish();
  CHECK_THAT(total.host()[0] == 28);
}

// A test-and-set flag as a lock.
__global__ void flag_lock(cuda::std::atomic_flag* lock, int* total) {
  if (threadIdx.x == 0) {
    while (lock->test_and_set(cuda::std::memory_order_acquire)) {
    }
    *total += blockIdx.x;
    lock->clear(cuda::std::memory_order_release);
  }
}
CASE(lock_of_an_atomic_flag) {
  Buffer<int> lock(1), total(1);
  flag_lock<<<8, 32>>>(reinterpret_cast<cuda::std::atomic_flag*>((int*)lock), total);
  finish();
  CHECK_THAT(total.host()[0] == 28);
}

// A semaphore with one place is a lock.
__global__ void with_semaphore(int* out) {
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> one;
  __shared__ int total;
  if (threadIdx.x == 0) {
    new (&one) cuda::binary_semaphore<cuda::thread_scope_block>(1);
    total = 0;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    one.acquire();
    total += threadIdx.x;
    one.release();
  }
  __syncthreads();
  if (threadIdx.x == 0) *out = total;
}

CASE(semaphore_as_a_lock) {
  Buffer<int> out(1);
  with_semaphore<<<1, 128>>>(out);
  finish();
  CHECK_THAT(out.host()[0] == 192);
}

// Relaxed data beside a relaxed flag: atomic accesses do not race, whatever they see.
__global__ void statistics(int* sum, int* most, const int* in) {
  DeviceRef s(*sum), m(*most);
  const int x = in[blockIdx.x * blockDim.x + threadIdx.x];
  s.fetch_add(x, cuda::std::memory_order_relaxed);
  if (m.load(cuda::std::memory_order_relaxed) < x) m.fetch_max(x, cuda::std::memory_order_relaxed);
}
CASE(relaxed_statistics) {
  Buffer<int> sum(1), most(1), in(128, 0, 1);
  statistics<<<4, 32>>>(sum, most, in);
  finish();
  CHECK_THAT(most.host()[0] == 127);
}

// A sequence lock: the data are relaxed atomics, the version says whether they belong together.
__global__ void sequence_lock(int* version, int* a, int* b, int* torn) {
  DeviceRef v(*version), x(*a), y(*b);
  using namespace cuda::std;
  if (blockIdx.x == 0) {
    for (int k = 1; k <= 4; ++k) {
      v.store(2 * k - 1, memory_order_relaxed);
      cuda::atomic_thread_fence(memory_order_release, cuda::thread_scope_device);
      x.store(k, memory_order_relaxed);
      y.store(k, memory_order_relaxed);
      v.store(2 * k, memory_order_release);
    }
  } else {
    int before, after, p, q;
    do {
      before = v.load(memory_order_acquire);
      p = x.load(memory_order_relaxed);
      q = y.load(memory_order_relaxed);
      cuda::atomic_thread_fence(memory_order_acquire, cuda::thread_scope_device);
      after = v.load(memory_order_relaxed);
    } while (before != after || before % 2 != 0);
    if (p != q) *torn = 1;
  }
}
CASE(sequence_lock_of_atomics) {
  Buffer<int> version(1), a(1), b(1), torn(1);
  sequence_lock<<<2, 1>>>(version, a, b, torn);
  finish();
  CHECK_THAT(torn.host()[0] == 0);
}

// Peterson's lock for two blocks, in sequentially consistent order.
__global__ void peterson(int* wants, int* turn, int* total) {
  const int me = blockIdx.x, other = 1 - me;
  DeviceRef mine(wants[me]), its(wants[other]), next(*turn);
  for (int k = 0; k < 3; ++k) {
    mine.store(1);
    next.store(other);
    while (its.load() == 1 && next.load() == other) {
    }
    *total += 1;
    mine.store(0);
  }
}
CASE(petersons_lock) {
  Buffer<int> wants(2), turn(1), total(1);
  peterson<<<2, 1>>>(wants, turn, total);
  finish();
  CHECK_THAT(total.host()[0] == 6);
}

// Pushed on a list by many, taken over as a whole by the next kernel.
struct Node {
  int value, next;
};
__global__ void push(Node* nodes, int* head) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  DeviceRef h(*head);
  nodes[i].value = i;
  int first = h.load(cuda::std::memory_order_relaxed);
  do {
    nodes[i].next = first;
  } while (
      !h.compare_exchange_weak(first, i, cuda::std::memory_order_release, cuda::std::memory_order_relaxed));
}
__global__ void add_list(int* out, const Node* nodes, const int* head) {
  int sum = 0;
  for (int i = *head; i >= 0; i = nodes[i].next) sum += nodes[i].value;
  *out = sum;
}
CASE(list_pushed_by_many) {
  Buffer<int> head(1, -1), out(1);
  Node* nodes = nullptr;
  cudaMalloc(&nodes, 64 * sizeof(Node));
  push<<<2, 32>>>(nodes, head);
  add_list<<<1, 1>>>(out, nodes, head);
  finish();
  CHECK_THAT(out.host()[0] == 64 * 63 / 2);
  cudaFree(nodes);
}

// Pushed and read by others in one kernel: the reader acquires the head and so all that came before.
__global__ void push_and_look(Node* nodes, int* head, int* out) {
  const int i = blockIdx.x;
  DeviceRef h(*head);
  nodes[i].value = i;
  int first = h.load(cuda::std::memory_order_acquire);
  do {
    nodes[i].next = first;
  } while (
      !h.compare_exchange_weak(first, i, cuda::std::memory_order_acq_rel, cuda::std::memory_order_acquire));
  int length = 0;
  for (int k = h.load(cuda::std::memory_order_acquire); k >= 0; k = nodes[k].next)
    length += 1 + 0 * nodes[k].value;
  out[i] = length;
}
CASE(list_read_while_it_grows) {
  Buffer<int> head(1, -1), out(16);
  Node* nodes = nullptr;
  cudaMalloc(&nodes, 16 * sizeof(Node));
  push_and_look<<<16, 1>>>(nodes, head, out);
  finish();
  cudaFree(nodes);
}

// A bounded queue of one producer and one consumer.
__global__ void ring(int* slots, int* head, int* tail, int* out, int n) {
  constexpr int kSlots = 4;
  DeviceRef written(*head), read(*tail);
  using namespace cuda::std;
  if (blockIdx.x == 0) {
    for (int k = 0; k < n; ++k) {
      while (k - read.load(memory_order_acquire) >= kSlots) {
      }
      slots[k % kSlots] = k;
      written.store(k + 1, memory_order_release);
    }
  } else {
    int sum = 0;
    for (int k = 0; k < n; ++k) {
      while (written.load(memory_order_acquire) <= k) {
      }
      sum += slots[k % kSlots];
      read.store(k + 1, memory_order_release);
    }
    *out = sum;
  }
}
CASE(ring_of_one_producer_and_one_consumer) {
  Buffer<int> slots(4), head(1), tail(1), out(1);
  ring<<<2, 1>>>(slots, head, tail, out, 20);
  finish();
  CHECK_THAT(out.host()[0] == 190);
}
