// Which files belong to the CUDA toolkit or the system, which to the user, and which are headers.
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string>

#include "simulator/ptx/program.h"

namespace sim::ptx {
namespace fs = std::filesystem;
namespace {

/// Where the file is not on this machine its path has to tell: PTX that was made elsewhere.
bool looks_like_toolkit(std::string_view path) {
  // An installed toolkit, or its wheels:
  // /usr/local/cuda-13.0/targets/x86_64-linux/include/..., nvidia/cu13/include/...
  const std::size_t include = path.find("/include/");
  const std::string_view root = path.substr(0, include);
  if (include != path.npos) {
    if (root == "/usr" || root.ends_with("/cuda") || root.find("/targets/") != root.npos) return true;
    if (root.find("/nvidia/cu1") != root.npos || root.find("/nvidia/cuda_") != root.npos) return true;
    const std::size_t version = root.rfind("/cuda-");
    if (version != root.npos && root.find_first_not_of("0123456789.", version + 6) == root.npos) return true;
  }
  static constexpr std::array<std::string_view, 6> kFolders{"/cccl/", "/cub/",      "/thrust/",
                                                            "/crt/",  "/cuda/std/", "/cooperative_groups/"};
  for (const std::string_view folder : kFolders) {
    if (include != path.npos && path.find(folder, include) != path.npos) return true;
  }
  static constexpr std::array<std::string_view, 12> kHeaders{
      "cuda_fp16.h",     "cuda_fp16.hpp",    "cuda_bf16.h",          "cuda_bf16.hpp",
      "cuda_fp8.h",      "cuda_fp8.hpp",     "cooperative_groups.h", "mma.h",
      "cuda_pipeline.h", "cuda_awbarrier.h", "device_functions.h",   "texture_indirect_functions.h"};
  const std::string_view base = path.substr(path.find_last_of('/') + 1);
  for (const std::string_view header : kHeaders) {
    if (base == header) return true;
  }
  return base.starts_with("sm_") && base.find("_intrinsics.h") != base.npos;
}

/// Whether @p folder holds the toolkit's headers, wherever it was installed: in /usr/local, by a package, or
/// from wheels into somebody's checkout.
bool holds_toolkit(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "cuda_runtime_api.h", ignored) && fs::exists(folder / "device_types.h", ignored);
}

/// The C++ library's headers, in the system or in packages that were unpacked elsewhere.
bool holds_cpp_library(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "bits" / "c++config.h", ignored) ||
         fs::exists(folder / "bits" / "stl_algo.h", ignored);
}

/// Whether it is one of the folders that a compiler looks in by itself.
bool is_system_folder(const fs::path& folder) {
  return folder == "/usr/include" || folder == "/usr/local/include" || folder == "/usr/lib/gcc" ||
         holds_toolkit(folder) || holds_cpp_library(folder);
}

/// A file that is here is the toolkit's or the system's if some folder above it is: what its path looks like
/// does not matter, for a user may work in a folder called cuda, or below /usr.
bool is_toolkit_file_here(const fs::path& file) {
  std::error_code ignored;
  const fs::path real = fs::weakly_canonical(file, ignored);
  for (fs::path folder = real.parent_path(); folder.has_relative_path(); folder = folder.parent_path())
    if (is_system_folder(folder)) return true;
  return false;
}

}  // namespace

bool is_toolkit_file(std::string_view path) {
  thread_local std::map<std::string, bool, std::less<>> known;
  if (const auto at = known.find(path); at != known.end()) return at->second;
  const fs::path file(path);
  std::error_code ignored;
  const bool here = file.is_absolute() && fs::is_regular_file(file, ignored);
  const bool toolkit =
      here ? is_toolkit_file_here(file) : looks_like_toolkit(file.lexically_normal().string());
  known.emplace(path, toolkit);
  return toolkit;
}

bool is_header_file(std::string_view path) {
  static constexpr std::array<std::string_view, 7> kEndings{".h",   ".hpp", ".hh", ".hxx",
                                                            ".cuh", ".inl", ".inc"};
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

}  // namespace sim::ptx
