#include "grader/actions/doctor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>

#include "grader/build/toolchain.h"
#include "grader/grade/sandbox/control_group.h"
#include "grader/platform/environment.h"
#include "grader/platform/files.h"
#include "grader/platform/gpu.h"
#include "grader/platform/process/run_process.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

using Status = MachineCheck::Status;
constexpr const char* kSetup = "./ladder setup installs it.";

/// A program that prints its version.
MachineCheck tool(const std::string& id, const std::string& what, const std::vector<std::string>& candidates,
                  const std::string& need, Status otherwise, const std::string& remedy) {
  std::string seen;
  for (const std::string& candidate : candidates) {
    if (candidate.empty()) continue;
    const Captured result = capture({candidate, "--version"});
    if (!result.status.ok()) continue;
    // nvcc's first number is a year.
    const std::size_t release = result.output.find("release ");
    const std::string version =
        first_version(release == std::string::npos ? result.output : result.output.substr(release));
    seen = fmt::format("{} {}", candidate, version);
    if (need.empty() || at_least(version, need)) return {id, what, Status::ok, seen, ""};
  }
  const std::string detail =
      seen.empty() ? "not found" : fmt::format("{} is too old; {} or newer is needed", seen, need);
  return {id, what, otherwise, detail, remedy};
}

MachineCheck headers(const std::string& include) {
  if (!include.empty() && fs::exists(fs::path(include) / "cuda_runtime_api.h"))
    return {"cuda_headers", "CUDA headers", Status::ok, include, ""};
  return {"cuda_headers", "CUDA headers", Status::broken,
          include.empty() ? "not known: nothing is built yet" : "gone from " + include, kSetup};
}

MachineCheck runtime(const std::string& include) {
  for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
    std::error_code missing;
    for (const fs::directory_entry& entry :
         fs::directory_iterator(fs::path(include).parent_path() / folder, missing))
      if (entry.path().filename().string().starts_with("libcudart.so"))
        return {"libcudart", "CUDA runtime", Status::ok, entry.path().string(), ""};
  }
  return {"libcudart", "CUDA runtime", Status::absent, "no libcudart.so beside the headers",
          "Only runs on a GPU need it; the toolkit brings it."};
}

void add_gpus(std::vector<MachineCheck>& all, const std::string& toolkit) {
  const GpuDriver driver = ask_driver();
  if (!driver.present) {
    all.push_back({"driver", "NVIDIA driver", Status::absent, "none",
                   "Nothing to do: rungs run on the simulator. With a GPU, install NVIDIA's driver."});
    return;
  }
  const std::string major = toolkit.substr(0, toolkit.find('.'));
  if (!driver.error.empty()) {
    all.push_back({"driver", "NVIDIA driver", Status::absent, driver.error,
                   "Rungs run on the simulator. `nvidia-smi` may tell more; in a container, start it with "
                   "its GPUs (docker run --gpus all)."});
  } else if (!major.empty() && !at_least(driver.cuda_version, major)) {
    all.push_back({"driver", "NVIDIA driver", Status::absent,
                   fmt::format("for CUDA {}, older than the toolkit's {}", driver.cuda_version, toolkit),
                   fmt::format("Update the driver, or use a CUDA {} toolkit (CUDA_HOME=... ./ladder setup).",
                               driver.cuda_version)});
  } else {
    all.push_back({"driver", "NVIDIA driver", Status::ok, "for CUDA up to " + driver.cuda_version, ""});
  }
  for (const Gpu& gpu : driver.gpus)
    all.push_back({"gpu", "GPU", Status::ok,
                   fmt::format("{}, compute capability {}, {:.0f} GiB", gpu.name, gpu.compute_capability,
                               gpu.memory_gib),
                   ""});
}

MachineCheck built(const Project& project, const std::string& name, const std::string& what, Status otherwise,
                   const std::string& remedy) {
  if (fs::exists(project.binary(name.c_str())))
    return {name, what, Status::ok, project.binary(name.c_str()).string(), ""};
  return {name, what, otherwise, "not built", remedy};
}

/// Libraries, as CMake found them when it configured the build.
void add_packages(std::vector<MachineCheck>& all, const Project& project) {
  const fs::path cache = project.build / "CMakeCache.txt";
  if (!fs::exists(cache)) {
    all.push_back({"packages", "libraries", Status::broken,
                   "not known: nothing is configured in " + project.build.string(),
                   "./ladder setup does it."});
    return;
  }
  static const std::regex entry(R"re(^(fmt|CLI11|nlohmann_json|tomlplusplus|Catch2)_DIR:PATH=(.*)$)re");
  for (const std::string& line : split_lines(read_file(cache))) {
    std::smatch match;
    if (!std::regex_match(line, match, entry)) continue;
    const bool found = !match[2].str().ends_with("-NOTFOUND");
    all.push_back(
        {match[1], match[1], Status::ok, found ? match[2].str() : "built from source with the project", ""});
  }
}

/// Whether the kernel can be asked to limit what `ladder grade` runs.
MachineCheck control_groups() {
  const grade::Delegated found = grade::find_delegated("/proc/self");
  if (found.why_not.empty())
    return {"control_groups", "control groups", Status::ok,
            fmt::format("{} below {}", fmt::join(found.controllers, ", "), found.base.string()), ""};
  return {
      "control_groups", "control groups", Status::absent, found.why_not,
      "Only `ladder grade` uses them, beside its other limits: systemd-run --user --scope -p Delegate=yes "
      "./ladder grade ..."};
}

}  // namespace

const char* to_string(MachineCheck::Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::absent:
      return "absent";
    case Status::broken:
      return "broken";
  }
  return "?";
}

std::string first_version(const std::string& text) {
  static const std::regex version(R"(\d+(\.\d+)+)");
  std::smatch match;
  return std::regex_search(text, match, version) ? match.str() : "";
}

bool at_least(const std::string& have, const std::string& need) {
  const auto numbers = [](const std::string& text) {
    std::vector<int> all;
    int value = 0;
    bool any = false;
    for (const char c : text + ".") {
      if (c >= '0' && c <= '9') {
        value = value * 10 + (c - '0');
        any = true;
      } else if (any) {
        all.push_back(value);
        value = 0;
        any = false;
      }
    }
    return all;
  };
  std::vector<int> a = numbers(have), b = numbers(need);
  a.resize(std::max(a.size(), b.size()));
  b.resize(a.size());
  return !have.empty() && a >= b;
}

namespace {

/// A package builds nothing of itself: what it needs is nvcc and the compiler that nvcc needs.
std::vector<MachineCheck> examine_for_package(const Project& project) {
  return {tool("compiler", "C++ compiler", {environment("NVCC_CCBIN"), "g++"}, "", Status::broken,
               "Debian, Ubuntu: apt install g++. Fedora, RHEL: dnf install gcc-c++. On a cluster: module "
               "load gcc."),
          tool("nvcc", "CUDA compiler", nvcc_candidates(project), "12.4", Status::broken,
               "ladder setup brings it from PyPI, for you alone; no root needed."),
          built(project, "runner-sim", "simulator", Status::broken,
                "The package is not whole: install it anew.")};
}

}  // namespace

std::vector<MachineCheck> examine(const Project& project) {
  if (project.packaged()) return examine_for_package(project);
  const nlohmann::json record = toolchain(project);
  const std::string include = record.value("cuda_include", ""), toolkit = record.value("cuda_version", "");
  std::vector<MachineCheck> all;
  all.push_back(tool("compiler", "C++ compiler",
                     {record.value("host_compiler", ""), environment("CXX"), "c++", "g++", "clang++"}, "",
                     Status::broken, "./ladder setup installs it (Debian, Ubuntu: apt install g++)."));
  all.push_back(tool("cmake", "CMake", {"cmake"}, "3.25", Status::broken, kSetup));
  all.push_back(tool("ninja", "Ninja", {"ninja"}, "", Status::absent,
                     "Builds start faster with it (apt install ninja-build); make does too."));
  all.push_back(tool("nvcc", "CUDA compiler", nvcc_candidates(project), "12.0", Status::broken,
                     "./ladder setup brings it into the checkout; no root needed."));
  all.push_back(headers(include));
  all.push_back(runtime(include));
  add_gpus(all, toolkit);
  all.push_back(built(project, "runner-sim", "simulator", Status::broken, "./ladder setup builds it."));
  all.push_back(built(project, "runner-gpu", "GPU runner", Status::absent,
                      "It is built where the toolkit has libcudart; ./ladder setup looks again."));
  add_packages(all, project);
  all.push_back(
      tool("git", "git", {"git"}, "", Status::absent, "Only `ladder dev sync` and updates use it."));
  all.push_back(
      tool("ccache", "ccache", {"ccache"}, "", Status::absent, "Rebuilds of the tools are faster with it."));
  all.push_back(control_groups());
  return all;
}

}  // namespace ladder::cli
