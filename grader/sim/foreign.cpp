#include "grader/sim/foreign.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>
#include <set>

#include "grader/platform/files.h"

namespace ladder::cli {
namespace {

/// A library by the beginning of its functions', headers'
/// and files' names; the longest beginning comes first.
struct Foreign {
  const char* beginning;
  const char* library;
};
constexpr std::array kForeign = {
    Foreign{"cublasLt", "cuBLASLt"},
    Foreign{"cublas", "cuBLAS"},
    Foreign{"cudnn", "cuDNN"},
    Foreign{"cufftXt", "cuFFT"},
    Foreign{"cufft", "cuFFT"},
    Foreign{"curand", "cuRAND"},
    Foreign{"cusparse", "cuSPARSE"},
    Foreign{"cusolver", "cuSOLVER"},
    Foreign{"cutensor", "cuTENSOR"},
    Foreign{"nvrtc", "NVRTC"},
    Foreign{"nvJitLink", "nvJitLink"},
    Foreign{"nvjitlink", "nvJitLink"},
    Foreign{"nvml", "NVML"},
    Foreign{"nvidia-ml", "NVML"},
    Foreign{"nvjpeg", "nvJPEG"},
    Foreign{"nccl", "NCCL"},
    Foreign{"npp", "NPP"},
    Foreign{"cupti", "CUPTI"},
    Foreign{"nvshmem", "NVSHMEM"},
    Foreign{"cuFile", "cuFile"},
    Foreign{"cufile", "cuFile"},
};

const char* library_of(std::string_view name) {
  for (const Foreign& foreign : kForeign)
    if (name.starts_with(foreign.beginning)) return foreign.library;
  return nullptr;
}

/// "cublasSgemm" from cublasSgemm_v2: as the program's source spells it.
std::string spelled(std::string name) {
  if (name.ends_with("_v2")) name.resize(name.size() - 3);
  for (const char* ending : {"_ptsz", "_ptds"})
    if (name.ends_with(ending)) name.resize(name.size() - 5);
  return name;
}

/// The sentence about a function that belongs to NVIDIA; empty for any other.
std::string lacking(const std::string& function) {
  const std::string name = spelled(function);
  if (const char* library = library_of(name))
    return fmt::format("this program uses {} (library {}), which the simulator does not have\n", name,
                       library);
  if (name.starts_with("cuda") || name.starts_with("__cuda"))
    return fmt::format("this program uses {} (CUDA runtime), which the simulator does not have\n", name);
  if (std::regex_match(name, std::regex("cu[A-Z].*")))
    return fmt::format("this program uses {} (CUDA driver), which the simulator does not have\n", name);
  return {};
}

}  // namespace

std::vector<std::string> without_foreign_libraries(const std::vector<std::string>& options) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i] == "-l" && i + 1 < options.size() && library_of(options[i + 1])) {
      ++i;
    } else if (!(options[i].starts_with("-l") && library_of(std::string_view(options[i]).substr(2)))) {
      kept.push_back(options[i]);
    }
  }
  return kept;
}

std::string stubs_for(const std::string& output) {
  static const std::regex undefined("undefined reference to [`'](.+)'");
  std::set<std::string> functions;
  for (const std::string& line : split_lines(output)) {
    std::smatch match;
    if (!std::regex_search(line, match, undefined)) continue;
    if (lacking(match[1]).empty()) return {};
    functions.insert(match[1]);
  }
  if (functions.empty()) return {};
  std::string source = "extern \"C\" {\n[[noreturn]] void __cudaLadderMissing(const char*);\n";
  for (const std::string& function : functions) {
    std::string sentence = lacking(function);
    sentence.pop_back();
    source += fmt::format("void {}() {{ __cudaLadderMissing(\"{}\"); }}\n", function, sentence);
  }
  return source + "}\n";
}

std::string explain_foreign(const std::string& output) {
  static const std::regex undefined("undefined reference to [`']([A-Za-z_0-9]+)'");
  static const std::regex header("([A-Za-z_0-9/-]+\\.h(?:pp)?): No such file or directory");
  std::set<std::string> sentences;
  std::string others;
  for (const std::string& line : split_lines(output)) {
    std::smatch match;
    std::string sentence;
    if (std::regex_search(line, match, undefined)) {
      sentence = lacking(match[1]);
    } else if (std::regex_search(line, match, header)) {
      if (const char* library = library_of(match[1].str()))
        sentence = fmt::format("this program includes {} (library {}), which the simulator does not have\n",
                               match[1].str(), library);
    }
    if (sentence.empty())
      others += line + '\n';
    else
      sentences.insert(sentence);
  }
  if (sentences.empty()) return output;
  std::string text;
  for (const std::string& sentence : sentences) text += sentence;
  // What is left of the linker's output only says in which function of the program the name occurs.
  const bool more = std::regex_search(others, std::regex("undefined reference|error:|cannot find"));
  return more ? text + others : text;
}

}  // namespace ladder::cli
