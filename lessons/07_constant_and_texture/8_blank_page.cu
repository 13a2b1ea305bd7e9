// Blank page: a table that is read between its entries.
#include "blank_page.h"

// TODO(1): make_table() and read_table(), as blank_page.h has them: the table, the kernel, its launch.
