// Arrays on several devices, as the lesson's cases want them: an in and an out on each, and what it is to
// find there in the rounds that follow the first.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

#include "grader/lesson/scratch.h"
#include "two_gpus.h"

/// The caller goes on with device 0, whichever the rung has chosen.
inline cudaError_t on_first_device(cudaError_t error) {
  const cudaError_t chosen = cudaSetDevice(0);
  return error != cudaSuccess ? error : chosen;
}

class DeviceArrays {
 public:
  float* in[kMostRanks] = {};
  float* out[kMostRanks] = {};
  cudaStream_t stream[kMostRanks] = {};

  /// @param ins, outs  host, [rounds][ranks][n]: what is in them at first
  cudaError_t allocate(int ranks, std::int64_t n, std::int64_t rounds, const float* ins, const float* outs) {
    ranks_ = ranks, n_ = n, rounds_ = rounds;
    cudaError_t error = cudaSuccess;
    for (int r = 0; r < ranks && error == cudaSuccess; ++r) error = allocate_on(r, ins, outs);
    return error;
  }

  /// Puts the next round's values into each stream, over the last one's.
  cudaError_t next_in(std::int64_t round) {
    return each([&](int r) {
      return cudaMemcpyAsync(in[r], staged_[r] + round * n_, bytes(), cudaMemcpyDeviceToDevice, stream[r]);
    });
  }

  /// Puts a copy of the results into each stream, for take().
  cudaError_t keep_out(std::int64_t round) {
    return each([&](int r) {
      return cudaMemcpyAsync(kept_[r] + round * n_, out[r], bytes(), cudaMemcpyDeviceToDevice, stream[r]);
    });
  }

  cudaError_t wait() {
    return each([&](int r) { return cudaStreamSynchronize(stream[r]); });
  }

  /// Brings the results to the host, and the last round's values, which nobody was to change.
  cudaError_t take(float* ins, float* outs) {
    return each([&](int r) {
      const std::int64_t last = ((rounds_ - 1) * ranks_ + r) * n_;
      cudaError_t error = cudaMemcpy(ins + last, in[r], bytes(), cudaMemcpyDefault);
      for (std::int64_t round = 0; round < rounds_ && error == cudaSuccess; ++round)
        error = cudaMemcpy(outs + (round * ranks_ + r) * n_, rounds_ > 1 ? kept_[r] + round * n_ : out[r],
                           bytes(), cudaMemcpyDefault);
      return error;
    });
  }

  cudaError_t free() {
    return each([&](int r) {
      cudaError_t error = cudaStreamDestroy(stream[r]);
      for (float* array : {in[r], out[r], staged_[r], kept_[r]})
        if (error == cudaSuccess) error = cudaFree(array);
      in[r] = out[r] = staged_[r] = kept_[r] = nullptr;
      return error;
    });
  }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(n_) * sizeof(float); }

  template <class Do>
  cudaError_t each(Do one) {
    cudaError_t error = cudaSuccess;
    for (int r = 0; r < ranks_ && error == cudaSuccess; ++r) {
      error = cudaSetDevice(r);
      if (error == cudaSuccess) error = one(r);
    }
    return error;
  }

  cudaError_t allocate_on(int r, const float* ins, const float* outs) {
    const std::string rank = "[" + std::to_string(r) + "]";
    cudaError_t error = cudaSetDevice(r);
    const auto get = [&](float*& array, const std::string& name, std::int64_t elements) {
      if (error == cudaSuccess) error = ladder::allocate_scratch(&array, (name + rank).c_str(), elements);
    };
    get(in[r], "in", n_), get(out[r], "out", n_);
    if (rounds_ > 1) get(staged_[r], "next in", rounds_ * n_), get(kept_[r], "kept out", rounds_ * n_);
    if (error == cudaSuccess) error = cudaStreamCreateWithFlags(&stream[r], cudaStreamNonBlocking);
    const auto bring = [&](float* to, const float* from) {
      if (error == cudaSuccess && n_ > 0) error = cudaMemcpy(to, from, bytes(), cudaMemcpyDefault);
    };
    bring(in[r], ins + r * n_), bring(out[r], outs + r * n_);
    for (std::int64_t round = 0; round < rounds_ && rounds_ > 1; ++round)
      bring(staged_[r] + round * n_, ins + (round * ranks_ + r) * n_);
    if (error == cudaSuccess)
      error = cudaDeviceSynchronize();  // copies from pageable memory may still be under way
    return error;
  }

  int ranks_ = 0;
  std::int64_t n_ = 0, rounds_ = 1;
  float *staged_[kMostRanks] = {}, *kept_[kMostRanks] = {};
};
