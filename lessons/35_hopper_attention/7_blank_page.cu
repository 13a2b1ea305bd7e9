// Blank page: attention to a window of the latest keys, with a sink that takes weight from all of them.
#include "blank_page.h"
#include "common/tensor_map.h"
#include "common/tma.h"
#include "common/wgmma.h"
#include "rows.h"
#include "tiles.h"

// TODO(1): windowed_attention(), whose contract is in blank_page.h: the kernel, any functions that you want
//          it to call, and the launch (about 130 lines).
