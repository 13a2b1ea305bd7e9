#include "blank_page.h"

// TODO(1): the kernels and recurrence(). What are two neighbouring steps, taken as one? That is what
//          takes the place of the sum.
