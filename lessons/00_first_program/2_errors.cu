// Rung 2: as many blocks as the elements need, and the two places where an error comes to light.
#include "first_program.h"

// TODO(1): write the kernel places_kernel: each thread finds its element from its block and its place in
//          the block, and writes both numbers to that place of block_of and thread_of. The grid may have
//          more threads than there are elements: those write nothing (6 lines).

cudaError_t places(int* block_of, int* thread_of, int n, int threads) {
  if (n == 0) return cudaSuccess;  // a grid of no blocks would be refused, too
  // TODO(2): how many blocks do n elements need? Launch them, and return the error if the launch was refused:
  //          cudaGetLastError() knows, and takes the error away (4 lines).
  // TODO(3): the launch was accepted, but nothing has run yet, perhaps. An error of the kernel itself, such
  //          as an address that does not exist, is returned by whichever call waits for it: wait here (1
  //          line).
}
