// Blank page: powers with exponents of very different lengths.
#include "blank_page.h"

// TODO(1): power_mod(), as blank_page.h has it: the kernel, and the function that launches it.
