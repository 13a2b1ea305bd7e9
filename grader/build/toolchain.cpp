#include "grader/build/toolchain.h"

#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "grader/platform/environment.h"
#include "grader/platform/failure.h"
#include "grader/platform/json_file.h"

namespace ladder::cli {
namespace fs = std::filesystem;

nlohmann::json toolchain(const Project& project) {
  const fs::path file = project.tools_folder() / "toolchain.json";
  nlohmann::json record = load_json(file);
  return record.is_object() ? record : nlohmann::json::object();
}

std::vector<std::string> nvcc_candidates(const Project& project) {
  const std::string home = environment("CUDA_HOME");
  std::vector<std::string> candidates = {toolchain(project).value("nvcc", ""),
                                         home.empty() ? "" : home + "/bin/nvcc"};
  if (project.packaged()) {  // the wheels beside ours, and what `ladder setup` brought
    const fs::path beside = project.tools.parent_path().parent_path().parent_path();
    candidates.push_back((beside / "nvidia" / "cu13" / "bin" / "nvcc").string());
    candidates.push_back((user_cache() / "cuda" / "bin" / "nvcc").string());
  }
  candidates.insert(candidates.end(), {"nvcc", "/usr/local/cuda/bin/nvcc"});
  return candidates;
}

std::string find_nvcc(const Project& project) {
  const auto runs = [](const fs::path& file) { return ::access(file.c_str(), X_OK) == 0; };
  for (const std::string& candidate : nvcc_candidates(project)) {
    if (candidate.empty()) continue;
    if (candidate.find('/') != std::string::npos) {
      if (runs(candidate)) return candidate;
      continue;
    }
    std::istringstream folders(environment("PATH"));
    for (std::string folder; std::getline(folders, folder, ':');)
      if (runs(fs::path(folder) / candidate)) return (fs::path(folder) / candidate).string();
  }
  throw Failure(
      ExitCode::environment, "nvcc, the CUDA compiler, was not found",
      project.packaged()
          ? "`ladder setup` brings it from PyPI, for you alone (about 300 MB, no root needed); or CUDA_HOME "
            "names a toolkit."
          : "./ladder setup brings it into the checkout; no root needed.");
}

}  // namespace ladder::cli
