// Blank page: rows of a table, looked up by number.
#include "blank_page.h"

// TODO(1): gather_rows(), as blank_page.h has it: the kernel, and the function that launches it.
