// Rung 6: a program of your own, from an empty file. Its contract, in the words of a manual page:
//
//   program [N]      N from 1 to 10,000,000, or 1000 where it is left out
//
// From a number k one gets to 1 by steps: an even number is halved, of an odd one comes 3 k + 1. (From 6: 3,
// 10, 5, 16, 8, 4, 2, 1, so 8 steps.) The program computes on the GPU how many steps each of the numbers 1 to
// N takes, and prints on a line of its own which of them takes the most, the smallest of them where several
// do:
//
//   97 takes 118 steps
//
// On the way 32 bits do not suffice: 113383 passes 2^31 and 159487 passes 2^32. The program checks all that
// the GPU has computed on the CPU, prints how long the kernel took by events, gives back what it allocated,
// and returns 0. When a CUDA call fails, or the CPU disagrees, it says so on stderr and returns 1. It does
// not call exit() or cudaDeviceReset(), for the grader calls main() many times in one process.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

// TODO(1): write the program, in some 60 lines, and run it as often as you like:
//          ./ladder sim lessons/00_first_program/6_program.cu -- 100
