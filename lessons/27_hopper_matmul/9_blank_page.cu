// Blank page: the gradient of a layer's weights, whose factors are both stored transposed.
#include "blank_page.h"
#include "common/tensor_map.h"
#include "common/tma.h"
#include "common/wgmma.h"
#include "epilogue.h"

// TODO(1): weight_gradient(), whose contract is in blank_page.h: kernel, launch and all else. A box of
//          the TMA is still 64 columns wide. What does a product take from it now, 16 columns or 16
//          rows?
