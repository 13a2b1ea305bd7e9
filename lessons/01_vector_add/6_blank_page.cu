// Rung 6, a blank page: a recording made louder on the GPU, from pinned host memory and back. See
// blank_page.h.
#include <algorithm>

#include "blank_page.h"
#include "common/cuda_check.h"

// TODO(1): write amplify() and its kernel (some 35 lines). The least time is that of the link: copies in,
//          kernels and copies out go on at the same time.
