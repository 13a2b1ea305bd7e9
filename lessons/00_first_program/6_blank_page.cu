// Rung 6, a blank page: a program of your own, with its own main(). blank_page.h says what it has to do.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

// TODO(1): write the program, and run it as often as you like:
//          ./ladder sim lessons/00_first_program/6_blank_page.cu -- 100
