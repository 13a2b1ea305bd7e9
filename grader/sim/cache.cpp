#include "grader/sim/cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/sha256.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* kInputs = "inputs";  ///< "HASH PATH" per file that the compiler read
constexpr std::size_t kKept = 64;          ///< programs; one takes about a megabyte

std::string hash_of(const fs::path& file) { return sha256(read_file(file)); }

UniqueFd open_folder(const fs::path& folder) {
  return UniqueFd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/// Removes a folder that nobody uses. @return whether it is gone
bool remove_unused(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return true;
  const std::optional<FileLock> alone = FileLock::try_take(open_folder(folder));
  if (!alone) return false;
  fs::remove_all(folder, error);
  return !error;
}

/// Locks a folder for use; nothing where there is none.
std::optional<FileLock> use(const fs::path& folder) {
  for (;;) {
    UniqueFd opened = open_folder(folder);
    if (!opened) return std::nullopt;
    struct stat ours, there;
    const bool known = ::fstat(opened.get(), &ours) == 0;
    FileLock lock = FileLock::share(std::move(opened));
    // Who had it alone may have put another in its place.
    if (known && ::stat(folder.c_str(), &there) == 0 && ours.st_ino == there.st_ino) return lock;
  }
}

/// Entries other than @p newest, beyond the kKept last used, go, unless they are in use.
void prune(const fs::path& cache, const fs::path& newest) {
  std::error_code ignored;
  std::vector<std::pair<fs::file_time_type, fs::path>> entries;
  for (const auto& entry : fs::directory_iterator(cache, ignored))
    if (entry.path() != newest) entries.emplace_back(entry.last_write_time(ignored), entry.path());
  if (entries.size() < kKept) return;
  std::sort(entries.begin(), entries.end());
  for (std::size_t i = 0; i + kKept <= entries.size(); ++i) remove_unused(entries[i].second);
}

}  // namespace

CacheEntry::CacheEntry(const fs::path& cache, const std::string& key)
    : cache_(cache), folder_(cache / sha256(key)) {}

CacheEntry::~CacheEntry() {
  std::error_code ignored;
  if (!work_.empty()) fs::remove_all(work_, ignored);
}

bool CacheEntry::fresh() {
  std::error_code error;
  std::optional<FileLock> lock = use(folder_);
  if (!lock || !fs::exists(folder_ / kInputs, error)) return false;
  for (const std::string& line : split_lines(read_file(folder_ / kInputs))) {
    const std::size_t space = line.find(' ');
    const fs::path file = line.substr(space + 1);
    if (!fs::is_regular_file(file, error) || hash_of(file) != line.substr(0, space)) return false;
  }
  fs::last_write_time(folder_, fs::file_time_type::clock::now(), error);  // for prune()
  in_use_ = std::move(lock);
  return true;
}

const fs::path& CacheEntry::begin() {
  std::error_code error;
  fs::create_directories(cache_, error);
  std::string name = folder_.string() + ".XXXXXX";
  if (error || ::mkdtemp(name.data()) == nullptr)
    throw Failure(ExitCode::environment, fmt::format("cannot write to {}: {}", cache_.string(),
                                                     error ? error.message() : std::strerror(errno)));
  in_use_ = use(name);
  return work_ = name;
}

void CacheEntry::keep(const std::vector<fs::path>& dependencies, const std::vector<std::string>& more) {
  std::vector<fs::path> files;
  for (const std::string& file : more) files.push_back(fs::absolute(file));
  for (const fs::path& list : dependencies)
    for (fs::path& file : listed_dependencies(read_file(list))) files.push_back(fs::absolute(file));
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  std::string inputs;
  for (const fs::path& file : files) inputs += hash_of(file) + " " + file.string() + "\n";
  write_file(work_ / kInputs, inputs);

  if (fresh()) return;  // another `ladder sim` of the same program was quicker
  std::error_code error;
  if (remove_unused(folder_)) fs::rename(work_, folder_, error);
  if (fs::exists(work_)) folder_ = work_;  // an older program of the same name is still running
  work_.clear();
  prune(cache_, folder_);
}

std::vector<fs::path> listed_dependencies(const std::string& makefile) {
  std::vector<fs::path> files;
  std::string word;
  bool in_target = true;
  const auto end_word = [&] {
    if (word == ":" || (in_target && word.ends_with(':'))) {
      in_target = false;
    } else if (!word.empty() && !in_target) {
      files.emplace_back(word);
    }
    word.clear();
  };
  for (std::size_t i = 0; i < makefile.size(); ++i) {
    const char c = makefile[i];
    const char next = i + 1 < makefile.size() ? makefile[i + 1] : '\n';
    if (c == '\\' && next == '\n') {
      end_word();
      ++i;
    } else if (c == '\\' && (next == ' ' || next == '#')) {
      word += next;
      ++i;
    } else if (c == ' ' || c == '\n' || c == '\t') {
      end_word();
    } else {
      word += c;
    }
  }
  end_word();
  return files;
}

}  // namespace ladder::cli
