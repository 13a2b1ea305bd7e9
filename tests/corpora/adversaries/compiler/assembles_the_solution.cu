// Lets the assembler read the solution.
// outcome: build_failed
// says: .
#include "rgb_to_gray.h"
asm(".section .rodata\n.global stolen\nstolen: .incbin "
    "\"@CHECKOUT@/solutions/03_rgb_to_gray/1_one_row.cu\"\n");
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) { return cudaSuccess; }
