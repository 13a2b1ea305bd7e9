#include "grader/sim/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <tuple>
#include <utility>

#include "grader/platform/failure.h"
#include "simulator/model/gpu.h"

namespace ladder::cli {
namespace {

/// Options of nvcc whose value is the next word, where it is not joined by '=' or written behind a letter.
constexpr std::array kWithValue = {"-I",
                                   "-D",
                                   "-U",
                                   "-L",
                                   "-l",
                                   "-O",
                                   "-x",
                                   "-t",
                                   "-m",
                                   "-e",
                                   "-o",
                                   "-include",
                                   "-isystem",
                                   "-std",
                                   "-arch",
                                   "-code",
                                   "-gencode",
                                   "-rdc",
                                   "-ccbin",
                                   "-cudart",
                                   "-cudadevrt",
                                   "-ldir",
                                   "-odir",
                                   "-opt-info",
                                   "-ftemplate-backtrace-limit",
                                   "-ftemplate-depth",
                                   "-Xcompiler",
                                   "-Xlinker",
                                   "-Xarchive",
                                   "-Xptxas",
                                   "-Xnvlink",
                                   "-Xcicc",
                                   "-Xcudafe",
                                   "-Xfatbin",
                                   "-maxrregcount",
                                   "-ftz",
                                   "-prec-div",
                                   "-prec-sqrt",
                                   "-fmad",
                                   "-default-stream",
                                   "-Werror",
                                   "-diag-error",
                                   "-diag-suppress",
                                   "-diag-warn",
                                   "-brief-diag",
                                   "-threads",
                                   "-split-compile",
                                   "-static-global-template-stub",
                                   "-device-entity-has-hidden-visibility",
                                   "-optf",
                                   "-MF",
                                   "-MT",
                                   "-frandom-seed",
                                   "-compress-mode",
                                   "-gpu-architecture",
                                   "-gpu-code",
                                   "-generate-code",
                                   "-relocatable-device-code",
                                   "-compiler-options",
                                   "-linker-options",
                                   "-ptxas-options",
                                   "-compiler-bindir",
                                   "-library",
                                   "-library-path",
                                   "-include-path",
                                   "-system-include",
                                   "-define-macro",
                                   "-undefine-macro",
                                   "-optimize",
                                   "-machine",
                                   "-dopt",
                                   "-jtd",
                                   "-output-file",
                                   "-pre-include",
                                   "-keep-dir",
                                   "-Ofc",
                                   "-arbin",
                                   "-target-dir",
                                   "-time",
                                   "-options-file",
                                   "-Ofast-compile",
                                   "-output-directory"};

/// Where the result goes, how it is linked and for which GPU is `ladder sim`'s business.
constexpr std::array kOurBusiness = {"-o",
                                     "-output-file",
                                     "-run",
                                     "-c",
                                     "-compile",
                                     "-link",
                                     "-cudart",
                                     "-cudadevrt",
                                     "-t",
                                     "-threads",
                                     "-dlto",
                                     "-lto",
                                     "-MD",
                                     "-MMD",
                                     "-MF",
                                     "-MT",
                                     "-MP",
                                     "-odir",
                                     "-output-directory",
                                     "-lineinfo",
                                     "-generate-line-info",
                                     "-no-compress",
                                     "-compress-mode",
                                     "-code",
                                     "-gpu-code",
                                     "-keep",
                                     "-keep-dir",
                                     "-save-temps",
                                     "-time"};

/// Libraries whose place the simulator takes.
constexpr std::array kOurLibraries = {"cudart", "cudart_static", "cudadevrt", "cuda"};

template <std::size_t N>
bool among(std::string_view word, const std::array<const char*, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

[[noreturn]] void misused(const std::string& what) {
  throw Failure(ExitCode::usage, what, "./ladder sim --help shows how to use it.");
}

int number(const std::string& option, const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    misused(fmt::format("{} needs a number, not \"{}\"", option, text));
  return value;
}

/// Compute capability x 10, and the letter of an architecture that has one. A letter makes it the higher one.
using Architecture = std::pair<int, std::string>;

/// {86, ""} from "sm_86", "compute_86", "arch=compute_80,code=[sm_86,compute_80]": the highest one named.
Architecture architecture_in(std::string_view text) {
  Architecture highest;
  for (const std::string_view prefix : {"sm_", "compute_"})
    for (std::size_t at = text.find(prefix); at != std::string_view::npos; at = text.find(prefix, at + 1)) {
      Architecture named;
      const char* const end = text.data() + text.size();
      const char* const behind = std::from_chars(text.data() + at + prefix.size(), end, named.first).ptr;
      if (behind != end && (*behind == 'a' || *behind == 'f')) named.second = *behind;
      highest = std::max(highest, named);
    }
  return highest;
}

class RequestReader {
 public:
  explicit RequestReader(const std::vector<std::string>& words) : words_(words) {}

  SimRequest read() {
    while (at_ < words_.size()) {
      const std::string& word = words_[at_++];
      if (word == "--") break;
      if (word.size() < 2 || word[0] != '-')
        file(word);
      else
        option(word);
    }
    r_.arguments.assign(words_.begin() + static_cast<std::ptrdiff_t>(at_), words_.end());
    if (r_.sources.empty())
      misused(r_.objects.empty() ? "which program? Name its .cu file or files" : "no source file is named");
    return std::move(r_);
  }

 private:
  void file(const std::string& word) {
    const std::string type = std::filesystem::path(word).extension().string();
    std::error_code ignored;
    const bool exists = std::filesystem::is_regular_file(word, ignored);
    if (type == ".o" || type == ".a" || type == ".so") {
      r_.objects.push_back(word);
    } else if (type == ".cu" || type == ".cpp" || type == ".cc" || type == ".cxx" || type == ".c") {
      r_.sources.push_back(word);
    } else {
      misused(word + (exists ? " is no .cu or .cpp file" : " is neither a file nor an option") +
              "; the program's own arguments come after --");
    }
    if (!exists) throw Failure(ExitCode::usage, fmt::format("there is no file {}", word));
  }

  /// The value of an option: behind '=', or the next word.
  std::string value(const std::string& option, const std::string& joined, bool is_joined) {
    if (is_joined) return joined;
    if (at_ == words_.size()) misused(option + " needs a value");
    return words_[at_++];
  }

  void option(const std::string& word) {
    const std::size_t equals = word.find('=');
    const bool joined = equals != std::string::npos;
    const std::string name = word.substr(0, equals), after = joined ? word.substr(equals + 1) : "";
    if (ours(name, after, joined)) return;
    // nvcc takes --name as well as -name.
    const std::string shortened = name.starts_with("--") ? name.substr(1) : name;
    const bool separate = !joined && among(shortened, kWithValue);
    const std::string text = joined || separate ? value(word, after, joined) : "";
    if (!nvcc_option_of_interest(shortened, text)) {
      r_.nvcc_options.push_back(word);
      if (separate) r_.nvcc_options.push_back(text);
    }
  }

  bool ours(const std::string& name, const std::string& after, bool joined) {
    const auto text = [&] { return value(name, after, joined); };
    if (name == "--json") {
      r_.json = text();
    } else if (name == "--lens" || name == "--timeline") {
      r_.lens = true;
      r_.timeline |= name == "--timeline";
      r_.lens_page = after;  // --lens FILE.html; alone, the terminal is enough
      if (!joined && at_ < words_.size() && words_[at_].ends_with(".html")) r_.lens_page = words_[at_++];
    } else if (name == "--gpu") {
      gpu(text());
    } else if (name == "--arch") {
      architecture(text());
    } else if (name == "--schedule-seed") {
      number(name, r_.schedule_seed = text());
    } else if (name == "--threads") {
      number(name, r_.threads = text());
    } else if (name == "--findings-exit") {
      r_.findings_exit = number(name, text());
    } else if (name == "--no-findings" && !joined) {
      r_.findings = false;
    } else if (name == "--color" || name == "--colour") {
      colour(text());
    } else {
      return false;
    }
    return true;
  }

  void gpu(const std::string& name) {
    if (sim::model::find_gpu(name) == nullptr) {
      std::string known;
      for (const sim::model::Gpu& gpu : sim::model::gpus())
        known += (known.empty() ? "" : ", ") + std::string(gpu.name);
      misused(fmt::format("no GPU called \"{}\" is modelled; there are {}", name, known));
    }
    r_.gpu = name;
  }

  void colour(const std::string& when) {
    if (when != "auto" && when != "always" && when != "never")
      misused(fmt::format("--color is auto, always or never, not \"{}\"", when));
    r_.colour = when == "always"  ? ColourWish::always
                : when == "never" ? ColourWish::never
                                  : ColourWish::automatic;
  }

  void architecture(const std::string& text) {
    if (text == "native" || text == "all" || text == "all-major") return;  // of what? There is no GPU
    const Architecture named = architecture_in(text);
    if (named.first == 0) misused(fmt::format("\"{}\" is no architecture such as compute_80", text));
    std::tie(r_.architecture, r_.architecture_letter) =
        std::max({r_.architecture, r_.architecture_letter}, named);
  }

  /// @return whether the option was dealt with and must not reach nvcc
  bool nvcc_option_of_interest(const std::string& name, const std::string& text) {
    if (name == "-arch" || name == "-gpu-architecture" || name == "-gencode" || name == "-generate-code") {
      architecture(text);
      return true;
    }
    if (name == "-rdc" || name == "-relocatable-device-code" || name == "-dc" || name == "-device-c") {
      r_.relocatable = text.empty() || text == "true";
      return true;
    }
    if (name == "-x") {
      r_.language = text;
      return true;
    }
    if ((name == "-l" && among(text, kOurLibraries)) ||
        (name.starts_with("-l") && among(name.substr(2), kOurLibraries)))
      return true;
    if (name.starts_with("-O") || name == "-optimize") r_.optimised = true;
    if (name == "-G" || name == "-device-debug") r_.device_debug = r_.optimised = true;
    return among(name, kOurBusiness);
  }

  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  SimRequest r_;
};

}  // namespace

SimRequest read_sim_request(const std::vector<std::string>& words) { return RequestReader(words).read(); }

std::string program_name(const SimRequest& request) {
  const std::filesystem::path source = request.sources[0];
  return ((source.has_parent_path() ? source.parent_path() : ".") / source.stem()).string();
}

}  // namespace ladder::cli
