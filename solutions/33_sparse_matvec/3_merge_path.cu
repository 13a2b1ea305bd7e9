// Rung 3: merge path: rows' ends and entries are one path, and every thread goes equally many steps of it.
#include "sparse_matvec.h"

constexpr int kBlock = 128;  // threads a block

/// Where a thread begins: after `rows` ends of rows and `entries` entries.
struct Place {
  int rows;
  int entries;
};

/// The place after `steps` steps of the path. Each step is over an entry, or over the end of the row whose
/// entries are all done: with i ends of rows, the next is taken if row_start[i + 1] entries are behind.
__device__ Place place_after(int steps, const Csr& a) {
  int low = steps > a.entries ? steps - a.entries : 0;  // ends of rows: at least so many
  int high = steps < a.rows ? steps : a.rows;           // and at most so many
  // TODO(1): bisect. The end of row `middle` is among the first `steps` steps if its entries, the ends before
  //          it and itself have room there (7 lines).
  // BEGIN SOLUTION
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (a.row_start[middle + 1] + middle < steps)
      low = middle + 1;
    else
      high = middle;
  }
  // END SOLUTION
  return {low, steps - low};
}

__global__ void merge_kernel(float* y, Csr a, const float* x, Carry* carries, int count) {
  const int thread = static_cast<int>(blockIdx.x) * kBlock + static_cast<int>(threadIdx.x);
  if (thread >= count) return;
  const int all = a.rows + a.entries, begin = thread * kShare;
  const int end = all - begin < kShare ? all : begin + kShare;
  Place at = place_after(begin, a);
  float sum = 0;
  // TODO(2): go the steps from `begin` to `end`. An entry is added to the sum; the end of a row stores the
  //          sum and begins anew. Of the path's last row there is no next one: do not read behind row_start
  //          (11 lines).
  // BEGIN SOLUTION
  int row_end = at.rows < a.rows ? a.row_start[at.rows + 1] : a.entries;
  for (int step = begin; step < end; ++step) {
    if (at.entries < row_end) {
      sum += a.values[at.entries] * x[a.columns[at.entries]];
      ++at.entries;
    } else {
      y[at.rows++] = sum;
      sum = 0;
      row_end = at.rows < a.rows ? a.row_start[at.rows + 1] : a.entries;
    }
  }
  // END SOLUTION
  carries[thread] = {at.rows, sum};  // whoever comes to the row's end stores it without this
}

/// A thread for each carry.
__global__ void fix_up_kernel(float* y, const Carry* carries, int count, int rows) {
  const int i = static_cast<int>(blockIdx.x) * kBlock + static_cast<int>(threadIdx.x);
  if (i >= count) return;
  // TODO(3): add the carry to its row. Many may belong to one row; that of the path's end belongs to none
  //          (2 lines).
  // BEGIN SOLUTION
  const Carry carry = carries[i];
  if (carry.row < rows && carry.sum != 0) atomicAdd(y + carry.row, carry.sum);
  // END SOLUTION
}

cudaError_t sparse_matvec(float* y, const Csr& a, const float* x, Carry* carries) {
  if (a.rows == 0) return cudaSuccess;
  const int count = carries_of(a.rows, a.entries), blocks = (count - 1) / kBlock + 1;
  merge_kernel<<<blocks, kBlock>>>(y, a, x, carries, count);
  fix_up_kernel<<<blocks, kBlock>>>(y, carries, count, a.rows);
  return cudaGetLastError();
}
