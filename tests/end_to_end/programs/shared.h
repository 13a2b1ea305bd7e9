// Device code that one file defines and the other uses.
extern __device__ int offset;
__device__ int shifted(int x);
int host_side();
