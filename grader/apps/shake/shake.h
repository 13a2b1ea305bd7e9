#pragma once

#include <string>
#include <string_view>

namespace ladder::shake {

/// Drops from a preprocessed C++ source what its system headers declare and nobody names.
///
/// cuda_bf16.h doubles the time that a rung compiles, cooperative_groups.h made it seven times as long: three
/// front ends read some 20,000 declarations of which a kernel uses ten. A declaration can be used only by
/// what has its name in it, so what is reachable by names from the source is enough ("tree shaking"). This is
/// coarse on purpose: names are not looked up, and whatever has the same name is kept together. System
/// headers are those that the preprocessor calls so, and all in the folder of cuda_runtime.h and below.
///
/// @param text  what the preprocessor made, with its `# LINE "FILE"` lines
/// @return the same with the same lines. It is for a front end to read; where one refuses it, the whole text
/// says what
///         is wrong.
std::string shaken(std::string_view text);

}  // namespace ladder::shake
