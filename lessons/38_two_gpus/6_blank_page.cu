// Blank page: a layer whose weights are split over GPUs, its sums on their way while its products are made.
#include <algorithm>

#include "blank_page.h"
#include "partial_product.h"
#include "peers.h"

// TODO(1): layer_prepare(), layer_run() and layer_release(), whose contract is in blank_page.h. Which rows
//          may be on the link while which are computed, and who waits for whom?
