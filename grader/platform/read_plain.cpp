#include "grader/platform/read_plain.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "grader/platform/process/run_process.h"
#include "grader/platform/process/unique_fd.h"

namespace ladder::cli::grade {
namespace fs = std::filesystem;

namespace {

/// Opens a file below a folder, one step at a time and through no link. @return nothing where there is none
UniqueFd open_below(const fs::path& folder, const std::string& path, int last_flags) {
  UniqueFd at(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const fs::path relative = path;
  for (auto part = relative.begin(); at && part != relative.end(); ++part) {
    const bool last = std::next(part) == relative.end();
    const int flags = last ? last_flags : O_PATH | O_DIRECTORY;
    const bool leads_out = *part == ".." || part->is_absolute();
    at.reset(leads_out ? -1 : ::openat(at.get(), part->c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
  }
  return at;
}

}  // namespace

std::optional<std::string> read_plain(const fs::path& folder, const std::string& path, std::size_t most) {
  const UniqueFd fd = open_below(folder, path, O_RDONLY | O_NONBLOCK);
  if (!fd) return std::nullopt;
  struct stat facts {};
  std::optional<std::string> text;
  if (::fstat(fd.get(), &facts) == 0 && S_ISREG(facts.st_mode) &&
      static_cast<std::size_t>(facts.st_size) <= most) {
    // One byte more than it has: a file that grows while it is read is then seen to.
    text.emplace(static_cast<std::size_t>(facts.st_size) + 1, '\0');
    std::size_t have = 0;
    ssize_t n = 0;
    while (have < text->size() && (n = ::read(fd.get(), text->data() + have, text->size() - have)) > 0)
      have += static_cast<std::size_t>(n);
    text->resize(have);
    if (n < 0 || have > static_cast<std::size_t>(facts.st_size)) text.reset();
  }
  return text;
}

std::optional<std::vector<Name>> list_plain(const fs::path& folder, const std::string& path,
                                            std::size_t most) {
  UniqueFd fd = path.empty() ? UniqueFd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))
                             : open_below(folder, path, O_RDONLY | O_DIRECTORY);
  if (!fd) return std::nullopt;
  DIR* const stream = ::fdopendir(fd.get());
  if (stream == nullptr) return std::nullopt;
  fd.release();  // closedir() closes it
  std::optional<std::vector<Name>> names;
  names.emplace();
  errno = 0;
  while (const dirent* const entry = ::readdir(stream)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat facts {};
    if (::fstatat(::dirfd(stream), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) facts.st_mode = 0;
    names->push_back({name, S_ISDIR(facts.st_mode)   ? Name::Kind::folder
                            : S_ISREG(facts.st_mode) ? Name::Kind::file
                                                     : Name::Kind::other});
    if (names->size() > most) break;
    errno = 0;
  }
  const int error = names->size() > most ? 0 : errno;
  if (error != 0) names.reset();
  ::closedir(stream);
  errno = error;
  if (names)
    std::sort(names->begin(), names->end(), [](const Name& a, const Name& b) { return a.name < b.name; });
  return names;
}

Output output_of(std::vector<std::string> argv, std::size_t most) {
  Output output;
  const ExitStatus status = run_process({std::move(argv),
                                         {{"LC_ALL", "C.UTF-8"},
                                          {"GIT_TERMINAL_PROMPT", "0"},
                                          {"GIT_CONFIG_NOSYSTEM", "1"},
                                          {"GIT_LFS_SKIP_SMUDGE", "1"}}},
                                        [&](std::string_view line) {
                                          if (output.text.size() > most) return;
                                          output.text.append(line);
                                          // What comes in pieces has no line ends between them.
                                          if (line.size() < kLongestLine) output.text.push_back('\n');
                                        });
  output.ok = status.ok();
  return output;
}

std::vector<std::string> lines_of(const std::string& text, char end) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t at; (at = text.find(end, begin)) != std::string::npos; begin = at + 1)
    lines.push_back(text.substr(begin, at - begin));
  return lines;
}

}  // namespace ladder::cli::grade
