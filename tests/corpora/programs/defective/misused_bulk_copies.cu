// arch: 90a
// Bulk copies of wrong sizes and places, and stores that the asynchronous proxy does not see.
#include "../bulk.h"
#include "../case.h"

constexpr int kTile = 128;  // words

// expect: misaligned
// wrong: a bulk copy begins at a multiple of 16 bytes, and in + 1 is none.
// cure:  a row that begins at a multiple of four words.
__global__ void begins_between(int* out, const int* in) {
  __shared__ alignas(128) int tile[kTile];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) mbarrier_init(&full, 1), fence_mbarrier_init();
  __syncthreads();
  if (threadIdx.x == 0) {
    mbarrier_expect(&full, sizeof tile);
    bulk_load(tile, in + 1, sizeof tile, &full);  // <- misaligned
  }
  mbarrier_wait(&full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}
CASE(copy_that_begins_between) {
  Buffer<int> out(kTile), in(2 * kTile, 1);
  begins_between<<<1, kTile>>>(out, in);
  finish();
}

// expect: misaligned
// wrong: a bulk copy has a multiple of 16 bytes, and the last row has 100.
// cure:  the row rounded up, where there is room, or ordinary loads of the rest.
__global__ void odd_size(int* out, const int* in, int bytes) {
  __shared__ alignas(128) int tile[kTile];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) mbarrier_init(&full, 1), fence_mbarrier_init();
  __syncthreads();
  if (threadIdx.x == 0) {
    mbarrier_expect(&full, bytes);
    bulk_load(tile, in, bytes, &full);  // <- misaligned
  }
  mbarrier_wait(&full, 0);
  if (threadIdx.x < bytes / 4) out[threadIdx.x] = tile[threadIdx.x];
}
CASE(copy_of_a_hundred_bytes) {
  Buffer<int> out(kTile), in(kTile, 1);
  odd_size<<<1, kTile>>>(out, in, 100);
  finish();
}

// expect: out-of-bounds global
// wrong: the last tile reaches beyond the array.
// cure:  as many bytes as are left.
__global__ void past_the_array(int* out, const int* in) {
  __shared__ alignas(128) int tile[kTile];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) mbarrier_init(&full, 1), fence_mbarrier_init();
  __syncthreads();
  if (threadIdx.x == 0) {
    mbarrier_expect(&full, sizeof tile);
    bulk_load(tile, in + blockIdx.x * kTile, sizeof tile, &full);  // <- out-of-bounds
  }
  mbarrier_wait(&full, 0);
  out[blockIdx.x * kTile + threadIdx.x] = tile[threadIdx.x];
}
CASE(copy_past_the_array) {
  Buffer<int> out(3 * kTile), in(2 * kTile + 64, 1);
  past_the_array<<<3, kTile>>>(out, in);
  finish();
}

// expect: out-of-bounds shared
// wrong: the copy is of twice as many bytes as the tile has.
// cure:  sizeof tile.
__global__ void past_the_tile(int* out, const int* in) {
  __shared__ std::uint64_t full;
  __shared__ alignas(128) int tile[kTile];
  if (threadIdx.x == 0) mbarrier_init(&full, 1), fence_mbarrier_init();
  __syncthreads();
  if (threadIdx.x == 0) {
    mbarrier_expect(&full, 2 * sizeof tile);
    bulk_load(tile, in, 2 * sizeof tile, &full);  // <- out-of-bounds
  }
  mbarrier_wait(&full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}
CASE(copy_past_the_tile) {
  Buffer<int> out(kTile), in(2 * kTile, 1);
  past_the_tile<<<1, kTile>>>(out, in);
  finish();
}

// expect: race shared
// wrong: the tile is stored by ordinary stores, and copied out with no fence between the proxies.
// cure:  fence_proxy() by all threads before the barrier.
__global__ void stored_unfenced(int* out) {
  __shared__ alignas(128) int tile[kTile];
  tile[threadIdx.x] = threadIdx.x;  // <- race
  __syncthreads();
  if (threadIdx.x == 0) {
    bulk_store(out, tile, sizeof tile);  // <- race
    bulk_commit();
    bulk_wait_read<0>();
  }
}
CASE(tile_copied_out_without_a_proxy_fence) {
  Buffer<int> out(kTile);
  stored_unfenced<<<1, kTile>>>(out);
  finish();
}

// expect: race shared
// wrong: one thread copies the tile out before the others are known to have stored their part.
// cure:  __syncthreads() behind the fence.
__global__ void without_a_barrier(int* out) {
  __shared__ alignas(128) int tile[kTile];
  tile[threadIdx.x] = threadIdx.x;  // <- race
  fence_proxy();
  if (threadIdx.x == 0) {
    bulk_store(out, tile, sizeof tile);  // <- race
    bulk_commit();
    bulk_wait_read<0>();
  }
}
CASE(tile_copied_out_without_a_barrier) {
  Buffer<int> out(kTile);
  without_a_barrier<<<1, kTile>>>(out);
  finish();
}

// expect: race global
// wrong: that the copy has read its source does not mean that its bytes have arrived.
// cure:  bulk_wait<0>().
__global__ void read_back(int* out, int* place) {
  __shared__ alignas(128) int tile[kTile];
  tile[threadIdx.x] = threadIdx.x;
  fence_proxy();
  __syncthreads();
  if (threadIdx.x == 0) {
    bulk_store(place, tile, sizeof tile);  // <- race
    bulk_commit();
    bulk_wait_read<0>();
  }
  __syncthreads();
  out[threadIdx.x] = place[kTile - 1 - threadIdx.x];  // <- race
}
CASE(copied_out_and_read_back_too_early) {
  Buffer<int> out(kTile), place(kTile);
  read_back<<<1, kTile>>>(out, place);
  finish();
}

// expect: use-after-free shared
// wrong: the last group is never closed, so the wait has nothing to wait for.
// cure:  bulk_commit() in front of the wait.
__global__ void never_closed(int* out) {
  __shared__ alignas(128) int tile[kTile];
  tile[threadIdx.x] = threadIdx.x;
  fence_proxy();
  __syncthreads();
  if (threadIdx.x == 0) {
    bulk_store(out, tile, sizeof tile);  // <- use-after-free
    bulk_wait_read<0>();
  }
}
CASE(copy_out_of_a_group_never_closed) {
  Buffer<int> out(kTile);
  never_closed<<<1, kTile>>>(out);
  finish();
}

// expect: race shared
// wrong: two bulk groups may be under way, and there are two tiles: the one that is stored next may still be
// read. cure:  bulk_wait_read<1>().
__global__ void one_group_too_many(int* out, int turns) {
  __shared__ alignas(128) int tile[2][kTile];
  for (int k = 0; k < turns; ++k) {
    if (threadIdx.x == 0) bulk_wait_read<2>();
    __syncthreads();
    tile[k % 2][threadIdx.x] = k;  // <- race
    fence_proxy();
    __syncthreads();
    if (threadIdx.x == 0) bulk_store(out + k * kTile, tile[k % 2], sizeof tile[0]), bulk_commit();  // <- race
  }
  if (threadIdx.x == 0) bulk_wait_read<0>();
}
CASE(one_group_too_many_under_way) {
  Buffer<int> out(5 * kTile);
  one_group_too_many<<<1, kTile>>>(out, 5);
  finish();
}

// expect: race shared
// wrong: the sums that are added to memory are overwritten while the reduction still reads them.
// cure:  bulk_wait_read<0>() and a barrier before the next stores.
__global__ void added_again(int* out, int turns) {
  __shared__ alignas(128) int tile[kTile];
  for (int k = 0; k < turns; ++k) {
    tile[threadIdx.x] = k;  // <- race
    fence_proxy();
    __syncthreads();
    if (threadIdx.x == 0) bulk_add(out, tile, sizeof tile), bulk_commit();  // <- race
    __syncthreads();
  }
  if (threadIdx.x == 0) bulk_wait<0>();
}
CASE(sums_overwritten_beside_their_reduction) {
  Buffer<int> out(kTile);
  added_again<<<1, kTile>>>(out, 3);
  finish();
}
