#include "grader/platform/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "grader/platform/failure.h"
#include "grader/platform/process/run_process.h"
#include "grader/platform/process/unique_fd.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const std::string& action, const fs::path& file, int error) {
  throw Failure(ExitCode::environment,
                fmt::format("cannot {} {}: {}", action, file.string(), std::strerror(error)));
}

void write_all(const UniqueFd& fd, std::string_view contents, const fs::path& file) {
  if (!write_wholly(fd.get(), contents)) fail("write", file, errno);
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);
  if (error) fail("create the folder", folder, error.value());
}

}  // namespace

std::string read_file(const fs::path& file, std::size_t most) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd) fail("read", file, errno);
  struct stat facts {};
  if (::fstat(fd.get(), &facts) != 0) fail("read", file, errno);
  if (!S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode))
    throw Failure(ExitCode::environment,
                  fmt::format("cannot read {}: it is no ordinary file", file.string()));
  std::string contents;
  char chunk[16384];
  for (;;) {
    const ssize_t n = ::read(fd.get(), chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("read", file, errno);
    if (n == 0) return contents;
    contents.append(chunk, static_cast<std::size_t>(n));
    if (contents.size() > most)
      throw Failure(ExitCode::environment,
                    fmt::format("cannot read {}: it is longer than {} KiB", file.string(), most >> 10));
  }
}

void write_file(const fs::path& file, std::string_view contents) {
  // Through a symbolic link, so that a link to a file elsewhere stays a link.
  std::error_code ignored;
  const fs::path target = fs::is_symlink(file, ignored) ? fs::weakly_canonical(file) : file;
  make_folder(target.parent_path());
  std::string temporary = target.string() + ".XXXXXX";
  const UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd) fail("write beside", target, errno);
  try {
    struct stat old {};
    const bool existed = ::stat(target.c_str(), &old) == 0;
    if (::fchmod(fd.get(), existed ? (old.st_mode & 07777) : 0644) != 0)
      fail("set permissions of", target, errno);
    write_all(fd, contents, target);
    if (::fsync(fd.get()) != 0) fail("write", target, errno);
    if (::rename(temporary.c_str(), target.c_str()) != 0) fail("replace", target, errno);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

bool write_new_file(const fs::path& file, std::string_view contents) {
  make_folder(file.parent_path());
  std::string temporary = file.string() + ".XXXXXX";
  const UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd) fail("write beside", file, errno);
  try {
    if (::fchmod(fd.get(), 0644) != 0) fail("set permissions of", file, errno);
    write_all(fd, contents, file);
    if (::fsync(fd.get()) != 0) fail("write", file, errno);
    const bool made = ::link(temporary.c_str(), file.c_str()) == 0;
    if (!made && errno != EEXIST) fail("make", file, errno);
    ::unlink(temporary.c_str());
    return made;
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

TemporaryFolder::TemporaryFolder(const fs::path& start) {
  std::string name = start.string() + "XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) fail("make a folder at", start, errno);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() { remove_wholly(path_); }

void remove_wholly(const fs::path& folder) {
  std::error_code error;
  fs::remove_all(folder, error);  // keeps a folder of each level open
  if (error) capture({"rm", "-rf", "--", folder.string()});
}

fs::path keep_numbered_copy(const fs::path& file, const fs::path& folder) {
  const std::string contents = read_file(file);
  make_folder(folder);
  for (int number = 1;; ++number) {
    const fs::path copy =
        folder / fmt::format("{}.{}{}", file.stem().string(), number, file.extension().string());
    const UniqueFd fd(::open(copy.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (!fd && errno == EEXIST) continue;
    if (!fd) fail("write", copy, errno);
    try {
      write_all(fd, contents, copy);
      if (::fsync(fd.get()) != 0) fail("write", copy, errno);
    } catch (...) {  // half a copy would be taken for a whole one
      ::unlink(copy.c_str());
      throw;
    }
    return copy;
  }
}

fs::path set_aside(const fs::path& file, const fs::path& folder) {
  make_folder(folder);
  for (int number = 1;; ++number) {
    const fs::path target =
        folder / fmt::format("{}.{}{}", file.stem().string(), number, file.extension().string());
    std::error_code error;
    if (fs::exists(fs::symlink_status(target, error))) continue;
    if (::rename(file.c_str(), target.c_str()) != 0) fail("move", file, errno);
    return target;
  }
}

bool is_nested_deeper(std::string_view json, int most) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"')
      in_text = !in_text;
    else if (in_text)
      i += c == '\\';  // with what it escapes
    else if (c == '[' || c == '{')
      depth += 1;
    else if (c == ']' || c == '}')
      depth -= 1;
    if (depth > most) return true;
  }
  return false;
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string shown(const fs::path& path, const fs::path& base) {
  const fs::path relative = path.lexically_relative(base);
  return relative.empty() || *relative.begin() == ".." ? path.string() : relative.string();
}

}  // namespace ladder::cli
