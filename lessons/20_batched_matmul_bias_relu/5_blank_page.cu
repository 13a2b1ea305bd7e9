// Rung 5, a blank page: squared distances within many small sets of points, cut off at a limit.
#include <cstddef>

#include "blank_page.h"

// TODO(1): everything: kernel, launch, and cut_distances() as blank_page.h describes it. The whole batch in
//          one launch, with tiles that suit sets of some dozens of points, and the limit applied while the
//          sums are still in registers (38 lines).
