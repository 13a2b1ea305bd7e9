// Blank page: each row sorted by itself, digit by digit, in shared memory.
#include <cstdint>

#include "blank_page.h"
#include "digits.h"

// TODO(1): sort_rows(), whose contract is in blank_page.h: the kernel, any functions that you want it to
//          call, and the launch (about 65 lines). digits.h may help.
