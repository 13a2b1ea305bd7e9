// Blank page: each head of the queries or keys is normalised and turned in one pass.
#include <cstdint>

#include "blank_page.h"

// TODO(1): qk_norm_rope(), whose contract is in blank_page.h: the kernel, any functions that you want it to
//          call, and the launch (about 90 lines).
