// The other atomic operations: what each returns and leaves, one made of compare-and-swap, and a spin lock.
//   ./ladder sim lessons/11_histogram/program/atomics.cu       without a GPU
//   nvcc -arch=native -o atomics atomics.cu && ./atomics       on one
#include <cstdio>

#include "../../../common/cuda_check.h"

constexpr unsigned kStart = 12;  // what each word holds before, binary 1100
constexpr const char* kCalls[] = {
    "atomicAdd(w, 5)",  "atomicSub(w, 5)",  "atomicExch(w, 5)", "atomicCAS(w, 12, 5)", "atomicCAS(w, 7, 5)",
    "atomicInc(w, 20)", "atomicInc(w, 12)", "atomicDec(w, 20)", "atomicDec(w, 10)",    "atomicAnd(w, 5)",
    "atomicOr(w, 5)",   "atomicXor(w, 5)",  "atomicMin(w, 5)",  "atomicMax(w, 5)"};
constexpr int kCount = sizeof kCalls / sizeof *kCalls;

/// Each call once, on a word of its own. @param[out] returned  [kCount] @param[in,out] word  [kCount]
__global__ void calls_kernel(unsigned* returned, unsigned* word) {
  unsigned* w = word;
  *returned++ = atomicAdd(w++, 5u);
  *returned++ = atomicSub(w++, 5u);
  *returned++ = atomicExch(w++, 5u);
  *returned++ = atomicCAS(w++, 12u, 5u);
  *returned++ = atomicCAS(w++, 7u, 5u);
  *returned++ = atomicInc(w++, 20u);
  *returned++ = atomicInc(w++, 12u);
  *returned++ = atomicDec(w++, 20u);
  *returned++ = atomicDec(w++, 10u);
  *returned++ = atomicAnd(w++, 5u);
  *returned++ = atomicOr(w++, 5u);
  *returned++ = atomicXor(w++, 5u);
  *returned++ = atomicMin(w++, 5u);
  *returned++ = atomicMax(w++, 5u);
}

/// `*target *= factor` in one step, which no single instruction does: a product is offered as long as another
/// thread has changed the word in between.
__device__ void multiply_atomically(unsigned* target, unsigned factor) {
  unsigned old = *target, seen;
  do {
    seen = old;
    old = atomicCAS(target, seen, seen * factor);
  } while (old != seen);
}

__global__ void product_kernel(unsigned* product) { multiply_atomically(product, 3); }

/// Two words that have to change together: of all values the largest, and who had it.
struct Record {
  int taken;  ///< 1 while a thread is in the critical section
  unsigned value, thread;
};

__device__ void lock(int* taken) {
  while (atomicCAS(taken, 0, 1) != 0) {
  }
  __threadfence();  // nothing of the section is read before the lock is ours
}

__device__ void unlock(int* taken) {
  __threadfence();  // what the section has written is there before anybody else gets in
  atomicExch(taken, 0);
}

__global__ void record_kernel(Record* record) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned value = thread * 2654435761u;  // different in all threads
  lock(&record->taken);
  volatile Record* const mine = record;  // from memory: others have written there
  if (value > mine->value) mine->value = value, mine->thread = thread;
  unlock(&record->taken);
}

int main() try {
  unsigned* d_words = nullptr;  // what was returned, what is left, and the product
  CUDA_CHECK(cudaMalloc(&d_words, (2 * kCount + 1) * sizeof(unsigned)));
  unsigned words[2 * kCount + 1];
  for (unsigned& word : words) word = kStart;
  words[2 * kCount] = 1;
  CUDA_CHECK(cudaMemcpy(d_words, words, sizeof words, cudaMemcpyHostToDevice));
  calls_kernel<<<1, 1>>>(d_words, d_words + kCount);
  CUDA_CHECK(cudaGetLastError());
  product_kernel<<<1, 10>>>(d_words + 2 * kCount);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(words, d_words, sizeof words, cudaMemcpyDeviceToHost));
  std::printf("w is %u before each      returns  leaves\n", kStart);
  for (int call = 0; call < kCount; ++call)
    std::printf("%-24s %7u %7u\n", kCalls[call], words[call], words[kCount + call]);
  std::printf("ten threads, each times 3: %u\n", words[2 * kCount]);

  Record* d_record = nullptr;
  CUDA_CHECK(cudaMalloc(&d_record, sizeof(Record)));
  CUDA_CHECK(cudaMemset(d_record, 0, sizeof(Record)));
  record_kernel<<<4, 64>>>(d_record);
  CUDA_CHECK(cudaGetLastError());
  Record record;
  CUDA_CHECK(cudaMemcpy(&record, d_record, sizeof record, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_record));
  CUDA_CHECK(cudaFree(d_words));
  const bool agree = record.value == record.thread * 2654435761u;
  std::printf("under the lock: %u of thread %u, %s\n", record.value, record.thread,
              agree ? "which belong together" : "which DO NOT belong together");
  return agree && words[2 * kCount] == 59049 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "atomics: %s\n", error.what());
  return 1;
}
