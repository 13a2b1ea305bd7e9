#include "blank_page.h"

// TODO(1): the kernel and interleave(). A tile of 32 x 32 would be mostly empty with three channels:
//          which piece of the picture is contiguous in the output, and is made of contiguous pieces of
//          the input?
