// Blank page: the gradient of every expert's weights, where what is added up is ragged.
#include "blank_page.h"
#include "common/tensor_map.h"
#include "common/tma.h"
#include "common/wgmma.h"
#include "pack.h"

// TODO(1): expert_gradients(), whose contract is in blank_page.h: kernel, launch and all else. It is lesson
//          27's blank page with an end of its rows for each expert. What does a box hold behind that end?
