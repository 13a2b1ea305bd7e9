#include "grader/grade/sandbox/compiler_cell.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "grader/build/toolchain.h"
#include "grader/course/includes.h"
#include "grader/grade/sandbox/sandbox.h"
#include "grader/platform/files.h"
#include "grader/platform/read_plain.h"

namespace ladder::cli::grade {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

constexpr std::size_t kMostLines = 400;                // kept of what the compiler says
constexpr std::uintmax_t kLargestProduct = 64u << 20;  // bytes
constexpr int kTimedOut = 124;                         // as `timeout` ends
constexpr double kPatience = 10;  // wall-clock time over CPU time, on a machine that does much else
constexpr const char* kNvcc = "cmake/nvcc.sh";

/// What is printed before this is the sandbox's word. What the compiler says goes to a file: it may be a
/// student's text, and a source that includes a pipe would wait for its end.
constexpr const char* kBegun = "the compiler begins";
constexpr const char* kScript =
    "echo 'the compiler begins'; cd \"$1\" && exec >/dev/null 2>\"$2\" && shift 2 && exec \"$@\"";

fs::path folder_in_course(const LessonInfo& lesson) { return fs::path("lessons") / lesson.name; }

/// Lines of a file that the cell wrote, without the path that only this cell has.
std::vector<std::string> lines_in(const fs::path& folder, const std::string& name, const fs::path& course) {
  std::vector<std::string> lines;
  const std::string prefix = course.string() + "/";
  for (std::string line : split_lines(read_plain(folder, name, kLargestProduct).value_or(""))) {
    if (lines.size() == kMostLines) break;
    for (std::size_t at; (at = line.find(prefix)) != std::string::npos;) line.erase(at, prefix.size());
    lines.push_back(line.substr(0, 1000));
  }
  return lines;
}

}  // namespace

CompilerCell::CompilerCell(const Grading& grading, const LessonInfo& lesson, const RungInfo& rung,
                           const fs::path& folder, const fs::path& source)
    : grading_(grading),
      lesson_(lesson),
      rung_(rung),
      folder_(folder),
      inside_(folder_in_course(lesson) / (rung.name + ".cu")) {
  fs::create_directories(out());
  fs::permissions(out(),
                  fs::perms::all);  // the cell's user is another; nobody else gets into the work folder
  fs::create_directories((folder_ / inside_).parent_path());
  fs::copy_file(source, folder_ / inside_, fs::copy_options::overwrite_existing);
  fs::permissions(folder_ / inside_, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
}

fs::path CompilerCell::course() const {
  return grading_.sandboxed ? fs::path("/course") : grading_.project.root;
}

fs::path CompilerCell::product(Build build) const {
  return out() / (rung_.name + (build == Build::fast ? ".so" : ".check.ptx"));
}

fs::path CompilerCell::text(Build build) const { return product(build).string() + ".text"; }

/// The words of toolchain.json, with the course and the file where the cell has them.
std::vector<std::string> CompilerCell::compiler(Build build) const {
  const json chain = toolchain(grading_.project);
  const Architecture arch = architecture_of(rung_, grading_.arch);
  const fs::path out_inside = grading_.sandboxed ? fs::path("/out") : out();
  const auto inside = [&](const fs::path& file) { return (out_inside / file.filename()).string(); };
  const std::string checkout = "-I" + chain.value("source_dir", grading_.project.root.string());
  std::vector<std::string> words = {"sh", (course() / kNvcc).string(), inside(text(build)),
                                    fs::canonical(find_nvcc(grading_.project)).string()};
  for (std::string flag :
       chain.at(build == Build::fast ? "module_flags" : "check_flags").get<std::vector<std::string>>()) {
    if (flag == checkout) continue;
    if (flag.starts_with("arch=")) flag = fmt::format("arch=compute_{0},code=compute_{0}", arch);
    words.push_back(std::move(flag));
  }
  words.insert(
      words.end(),
      {"-I" + course().string(), "-I" + (course() / folder_in_course(lesson_)).string(), "-Xcompiler",
       fmt::format("-fmacro-prefix-map={}/=", course().string()),  // __FILE__ in headers
       inside_.string(), "-o", inside(product(build))});
  return words;
}

CompilerCall CompilerCell::call(Build build) const {
  const fs::path here = grading_.sandboxed ? course() : folder_, said = "said.txt";
  Cell cell;
  cell.file_mb = std::max(grading_.limits.file_mb, 64);
  cell.tmp_mb = 512;  // the compiler's own temporary files
  cell.memory_mb = grading_.limits.compile_memory_mb;
  cell.cpu_seconds = static_cast<int>(grading_.limits.compile_seconds) + 1;
  cell.processes = grading_.limits.processes;
  cell.read_only.push_back({folder_ / inside_, course() / inside_});
  for (const fs::path& header : headers_for(lesson_))
    cell.read_only.push_back({header, course() / header.lexically_relative(grading_.project.root)});
  cell.read_only.push_back({grading_.project.root / kNvcc, course() / kNvcc});
  cell.writable.push_back({out(), "/out"});

  std::vector<std::string> words = {"timeout", "-k", "1",
                                    fmt::format("{:g}", kPatience * grading_.limits.compile_seconds)};
  const fs::path said_inside = (grading_.sandboxed ? fs::path("/out") : out()) / said;
  const std::vector<std::string> shell = {"sh", "-c", kScript, "sh", here.string(), said_inside.string()};
  for (const auto& more : {enter(grading_, cell), shell, compiler(build)})
    words.insert(words.end(), more.begin(), more.end());
  fs::remove(out() / said);
  CompilerCall result;
  std::vector<std::string> before;
  result.status = run_process({words, {{"LC_ALL", "C"}}}, [&](std::string_view line) {
    if (before.size() < kMostLines) before.emplace_back(line.substr(0, 1000));
  });
  result.begun = !before.empty() && before.front() == kBegun;
  result.timed_out = result.status.code == kTimedOut || result.status.signal == SIGKILL;
  result.lines = result.begun ? lines_in(out(), said, here) : before;
  fs::remove(out() / said);
  return result;
}

bool is_product(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(fs::symlink_status(file, error)) &&
         fs::file_size(file, error) <= kLargestProduct;
}

}  // namespace ladder::cli::grade
