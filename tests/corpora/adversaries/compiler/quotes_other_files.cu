// Claims to be another file, so that the compiler's message quotes a line of it.
// outcome: build_failed
// says: .
#include "rgb_to_gray.h"
#line 1 "/etc/passwd"
int quoted = "this is no number";
#line 8 "@CHECKOUT@/solutions/03_rgb_to_gray/1_one_row.cu"
int quoted_again = "nor is this";
#pragma GCC dependency "/etc/shadow"
asm(".incbin \"/proc/self/environ\"\n.include \"/etc/passwd\"\n");
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) { return cudaSuccess; }
