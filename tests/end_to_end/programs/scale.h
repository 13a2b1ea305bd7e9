// A kernel that lives in a header, and one that is a template.
#pragma once

__global__ void clear(int* out, int n) {
  if (threadIdx.x <= n) out[threadIdx.x] = 0;
}

template <class T, int N>
__global__ void scale(T* out, int n) {
  if (threadIdx.x <= n) out[threadIdx.x] *= N;
}
