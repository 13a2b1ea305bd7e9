// Blank page: SwiGLU, two inputs and one output in half precision.
#include "blank_page.h"
#include "half2.h"

// TODO(1): swiglu(), whose contract is in blank_page.h: the kernel, any functions that you want it to
//          call, and the launch (about 30 lines).
