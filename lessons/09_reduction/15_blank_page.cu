// Blank page: the smallest element and its first place. blank_page.h says what is wanted.
#include <cmath>

#include "blank_page.h"
#include "common/grid.h"

// TODO(1): minimum(), and the kernels that it needs (about 40 lines).
