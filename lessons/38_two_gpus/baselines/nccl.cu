// link: nccl
// The library's way: ncclAllReduce, a call for each device between the marks of a group.
#include <nccl.h>

#include <stdexcept>

#include "common/cuda_check.h"
#include "two_gpus.h"

namespace {

ncclComm_t communicators[kMostRanks];
int known_ranks = 0;

void check(ncclResult_t result) {
  if (result != ncclSuccess) throw std::runtime_error(ncclGetErrorString(result));
}

}  // namespace

/// Communicators take a second to make, and are kept.
cudaError_t group_prepare(Group& g) {
  if (known_ranks == g.ranks) return cudaSuccess;
  const int devices[kMostRanks] = {0, 1, 2, 3};
  check(ncclCommInitAll(communicators, g.ranks, devices));
  known_ranks = g.ranks;
  return cudaSuccess;
}

cudaError_t all_reduce(Group& g) {
  if (g.n == 0) return cudaSuccess;
  check(ncclGroupStart());
  for (int r = 0; r < g.ranks; ++r)
    check(ncclAllReduce(g.in[r], g.out[r], g.n, ncclFloat, ncclSum, communicators[r], g.stream[r]));
  check(ncclGroupEnd());
  return cudaSuccess;
}

cudaError_t group_release(Group&) { return cudaSuccess; }
