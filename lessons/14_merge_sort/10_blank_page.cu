#include "blank_page.h"

// TODO(1): the kernel and lower_bounds(). Of which merge are the ranks the horizontal steps, and how is
//          that cut into equal pieces?
