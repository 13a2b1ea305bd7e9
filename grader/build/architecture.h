// The virtual architectures that rungs are compiled for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grader/build/compiler_output.h"
#include "grader/course/course.h"
#include "grader/course/project.h"

namespace ladder::cli {

/// A virtual architecture as nvcc's numbers name it: "75", "90", "90a".
using Architecture = std::string;

/// Reads "90", "9.0", "9.0a", "sm_90" and "compute_90". @return empty where @p text is none of these
Architecture read_architecture(std::string_view text);

/// The one that has the instructions of both.
Architecture higher(const Architecture& a, const Architecture& b);

/// What a rung is compiled for: @p base, or more where it says that it needs more.
Architecture architecture_of(const RungInfo& rung, const Architecture& base);

/// That of the simulated GPU: LADDER_SIM_GPU's, or the default one's.
Architecture simulated_architecture();

/// That of the GPU at hand, as CMake found it.
Architecture device_architecture(const Project& project);

/// "9.0a".
std::string capability(const Architecture& architecture);

/// What every GPU runs that CUDA 13 knows: for machines whose GPU nobody can tell beforehand.
inline constexpr const char* kPortableArchitecture = "75";

/// The newest that modules are compiled for: newer GPUs run these as well.
inline constexpr const char* kNewestArchitecture = "90";

/// Names what only a newer architecture has, where that is why a compiler refused: "__reduce_xor_sync needs
/// compute capability 8.0; this was compiled for 7.5." Empty where it is not.
std::string newer_architecture_hint(const std::vector<CompilerMessage>& messages,
                                    const Architecture& compiled_for);

}  // namespace ladder::cli
