// Blank page: scalar products of all rows with all rows, by Tensor Cores.
#include <mma.h>

#include "blank_page.h"

// TODO(1): scalar_products(), whose contract is in blank_page.h: kernel, launch and all else. The
//          second factor is the first one, transposed: what does that ask of a fragment of it, and
//          what not of the memory?
