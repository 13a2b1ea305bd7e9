#include "grader/sim/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "grader/build/build.h"
#include "grader/build/compiler_calls.h"
#include "grader/build/direct.h"
#include "grader/build/toolchain.h"
#include "grader/platform/environment.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/sim/cache.h"
#include "grader/sim/foreign.h"
#include "grader/sim/relocatable.h"
#include "simulator/model/gpu.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

using Arguments = std::vector<std::string>;

constexpr const char* kCheckLog = ".check.log";  ///< of a check build that is a call by itself, or refused
constexpr const char* kLibrary = "libsim_cudart.so";
constexpr int kDefaultArchitecture = 80;
constexpr int kOldestArchitecture = 75;  ///< that nvcc 13 compiles for

Arguments operator+(Arguments left, const Arguments& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

/// Everything that the compiler calls of one program share.
struct Recipe {
  std::string nvcc, architecture;
  Arguments common;  ///< options of every call
  fs::path library_folder;
};

Recipe recipe_for(const Project& project, const SimRequest& request) {
  const nlohmann::json record = toolchain(project);
  Recipe recipe;
  if (project.packaged()) expect_host_compiler();
  recipe.nvcc = find_nvcc(project);
  recipe.library_folder = project.simulator_folder() / "lib";
  if (!fs::exists(recipe.library_folder / kLibrary))
    throw Failure(ExitCode::environment, "the simulator's runtime library is not built",
                  "./ladder setup builds it.");
  const sim::model::Gpu* gpu =
      sim::model::find_gpu(request.gpu.empty() ? environment("LADDER_SIM_GPU") : request.gpu);
  const int newest = gpu == nullptr ? kDefaultArchitecture : gpu->major * 10 + gpu->minor;
  const int asked = request.architecture == 0 ? std::min(kDefaultArchitecture, newest) : request.architecture;
  // compute_90a is another architecture than compute_90: only its PTX may have wgmma and its kin.
  const std::string letter = asked >= kOldestArchitecture ? request.architecture_letter : "";
  recipe.architecture = fmt::format("compute_{}{}", std::max(asked, kOldestArchitecture), letter);
  const auto says = [&](const char* option) {
    return std::any_of(request.nvcc_options.begin(), request.nvcc_options.end(),
                       [&](const std::string& word) { return word.find(option) != std::string::npos; });
  };
  const std::string host = record.value("host_compiler", "");
  if (!host.empty() && !says("-ccbin") && !says("--compiler-bindir")) recipe.common = {"-ccbin", host};
  if (!request.optimised) recipe.common.push_back("-O3");
  // For the lines of host code that findings name; a call at a function's end must leave a trace of it.
  recipe.common = recipe.common + Arguments{"-g", "-Xcompiler", "-fno-optimize-sibling-calls"};
  recipe.common = recipe.common + request.nvcc_options;
  return recipe;
}

bool is_cuda(const SimRequest& request, const std::string& source) {
  return request.language.empty() ? source.ends_with(".cu") : request.language == "cu";
}

std::string log_of(const CompilerCall& call) { return fs::exists(call.log) ? read_file(call.log) : ""; }

/// Whether cmake/nvcc.sh knows how to make both builds of a source at once: what comes before it is kept from
/// call to call, so no folder of the program's own may lie before the toolkit's.
bool makes_both_at_once(const Recipe& recipe, const SimRequest& request, const std::string& source) {
  if (!request.findings || !request.language.empty() || request.relocatable || !is_cuda(request, source))
    return false;
  return std::none_of(recipe.common.begin(), recipe.common.end(), [](const std::string& word) {
    return word.starts_with("-I") || word.find("-isystem") != std::string::npos ||
           word.find("-include") != std::string::npos;
  });
}

/// The calls that compile one source: to an object, and a CUDA source to the check build's PTX as well.
void add_unit(std::vector<CompilerCall>& calls, const Project& project, const Recipe& recipe,
              const SimRequest& request, std::size_t index, const fs::path& folder) {
  const std::string& source = request.sources[index];
  const std::string stem = (folder / std::to_string(index)).string();
  Arguments shared = recipe.common;
  if (!request.language.empty()) shared = shared + Arguments{"-x", request.language};
  if (request.relocatable) shared.push_back("-rdc=true");
  Arguments object = {recipe.nvcc, "-gencode", fmt::format("arch={0},code={0}", recipe.architecture),
                      "--no-compress"};
  if (!request.device_debug) object.push_back("-lineinfo");
  object = object + shared + Arguments{"-c", source, "-o", stem + ".o", "-MMD", "-MF", stem + ".d"};
  // Without __CUDACC_DEBUG__ the check build is the same program.
  const Arguments check =
      Arguments{recipe.nvcc, "-arch=" + recipe.architecture, "-w", "-G", "-Xcompiler", "-U__CUDACC_DEBUG__"} +
      shared + Arguments{"-ptx", source, "-o", stem + ".ptx"};
  if (makes_both_at_once(recipe, request, source)) {
    calls.push_back({both_builds(project) + Arguments{"--any"} + object +
                         Arguments{"-MT", stem + ".o", "--check"} + check,
                     stem + ".log",
                     {}});
    return;
  }
  calls.push_back({object, stem + ".log", {}});
  if (request.findings && is_cuda(request, source)) calls.push_back({check, stem + kCheckLog, {}});
}

/// A program whose check build is refused has fewer findings, that is all.
void forgive_check(CompilerCall& call) {
  if (call.status.ok() || !is_without_check(split_lines(log_of(call)))) return;
  fs::rename(call.log, fs::path(call.log).replace_extension(kCheckLog));
  call.status = {};
}

CompilerCall link(const Recipe& recipe, const SimRequest& request, const fs::path& folder) {
  Arguments argv =
      Arguments{recipe.nvcc, "-arch=" + recipe.architecture, "-w", "-cudart", "none", "-nodlink"} +
      without_foreign_libraries(recipe.common);
  for (std::size_t i = 0; i < request.sources.size(); ++i)
    argv.push_back((folder / fmt::format("{}.o", i)).string());
  argv = argv + request.objects;
  if (request.relocatable) argv.push_back(write_relocatable_stub(folder, argv));
  argv = argv + Arguments{"-o",
                          (folder / "program").string(),
                          "-L" + recipe.library_folder.string(),
                          "-lsim_cudart",
                          "-Xlinker",
                          "-rpath=" + recipe.library_folder.string()};
  return {argv, folder / "link.log", {}};
}

std::string first_lines(const std::string& log) {
  constexpr std::size_t kLines = 4;
  std::string text;
  std::size_t taken = 0;
  for (const std::string& line : split_lines(log)) {
    if (line.starts_with("nvcc warning")) continue;  // of options that we gave
    if (++taken > kLines) break;
    text += "  " + line + '\n';
  }
  return text;
}

SimProgram program_in(CacheEntry& entry, const SimRequest& request) {
  const fs::path folder = entry.folder();
  SimProgram program{folder / "program", {}, "", "", entry.in_use()};
  for (std::size_t i = 0; i < request.sources.size(); ++i) {
    const fs::path ptx = folder / fmt::format("{}.ptx", i), log = folder / fmt::format("{}{}", i, kCheckLog);
    if (fs::exists(ptx)) {
      program.check_ptx.push_back(ptx);
    } else if (request.findings && is_cuda(request, request.sources[i])) {
      program.unchecked = request.sources[i];
      program.why_unchecked = first_lines(fs::exists(log) ? read_file(log) : "");
    }
  }
  return program;
}

std::string key_of(const Recipe& recipe, const SimRequest& request) {
  // Another simulator may have functions that this one lacks.
  const auto library = fs::last_write_time(recipe.library_folder / kLibrary).time_since_epoch().count();
  std::string key = std::to_string(library) + '\n' + recipe.nvcc + '\n' + recipe.architecture + '\n' +
                    fs::current_path().string() + '\n' + recipe.library_folder.string();
  for (const Arguments& words : {recipe.common, request.sources, request.objects}) {
    for (const std::string& word : words) key += '\n' + word;
    key += "\n--";
  }
  return key + fmt::format("\n{} {} {} {}", request.language, request.relocatable, request.device_debug,
                           request.findings);
}

}  // namespace

SimCompilation compile(const Project& project, const SimRequest& request, TransientLine& progress) {
  const Recipe recipe = recipe_for(project, request);
  CacheEntry entry(project.state() / "sim", key_of(recipe, request));
  if (entry.fresh()) return {program_in(entry, request), "", 0};

  const fs::path folder = entry.begin();
  std::vector<CompilerCall> calls;
  for (std::size_t i = 0; i < request.sources.size(); ++i)
    add_unit(calls, project, recipe, request, i, folder);
  progress.show(
      fmt::format("compiling {}{}", request.sources[0], request.sources.size() > 1 ? " and others" : ""));
  run_compiler_calls(calls, std::max(1u, std::thread::hardware_concurrency()));
  std::for_each(calls.begin(), calls.end(), forgive_check);
  progress.clear();

  SimCompilation result;
  for (const CompilerCall& call : calls) {
    if (call.log.string().ends_with(kCheckLog))
      continue;  // without a twin there are fewer findings, that is all
    result.messages += log_of(call);
    if (!call.status.ok() && result.status == 0) result.status = call.status.signal ? 1 : call.status.code;
  }
  if (!request.relocatable) result.messages += relocatable_hint(result.messages);
  if (result.status == 0) {
    std::vector<CompilerCall> last = {link(recipe, request, folder)};
    run_compiler_calls(last, 1);
    if (const std::string stubs = stubs_for(log_of(last[0])); !stubs.empty()) {
      // What is missing may never be called: the program says so when it is.
      const std::string file = (folder / "missing.cpp").string();
      write_file(file, stubs);
      fs::remove(last[0].log);
      last[0].argv.insert(last[0].argv.begin() + 1, file);
      run_compiler_calls(last, 1);
    }
    if (!last[0].status.ok()) {
      result.status = 1;
      result.messages += log_of(last[0]);
    }
  }
  if (result.status != 0) {
    result.messages = explain_foreign(result.messages);
    return result;
  }
  std::vector<fs::path> dependencies;
  for (std::size_t i = 0; i < request.sources.size(); ++i)
    dependencies.push_back(folder / fmt::format("{}.d", i));
  entry.keep(dependencies, request.objects);
  result.program = program_in(entry, request);
  return result;
}

}  // namespace ladder::cli
