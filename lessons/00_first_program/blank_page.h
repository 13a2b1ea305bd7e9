// The contract of the blank page: a whole program, so there is nothing to declare.
//
//   program [N]      N from 1 to 10,000,000, or 1000 where it is left out
//
// From a number k one gets to 1 by steps: an even number is halved, of an odd one comes 3 k + 1. (From 6: 3,
// 10, 5, 16, 8, 4, 2, 1, so 8 steps.) The program computes on the GPU, with a thread for each of the numbers
// 1 to N, how many steps it takes. Then it prints, on a line of its own, which of them takes the most (the
// smallest of them, where several do), how many that are, and how many steps all N numbers take together. For
// N = 100 the line is
//
//   97 takes 118 steps, all together 3142
//
// On the way 32 bits do not suffice: 113383 passes 2^31 and 159487 passes 2^32. The program also
//
// - compares all that the GPU has computed with the CPU,
// - prints how long the kernel took, by events,
// - gives back what it has allocated and created, and returns 0.
//
// When a CUDA call fails, or the CPU disagrees, it says so on stderr and returns 1. It does not call exit()
// or cudaDeviceReset(): the grader calls main() many times in one process.
