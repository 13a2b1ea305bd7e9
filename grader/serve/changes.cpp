#include "grader/serve/changes.h"

#include <sys/inotify.h>
#include <sys/stat.h>

#include <array>
#include <set>

namespace ladder::cli::serve {

Changes::Changes(std::vector<std::filesystem::path> files)
    : notify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  std::set<std::filesystem::path> folders;
  for (std::filesystem::path& file : files) {
    folders.insert(file.parent_path());
    const Stamp stamp = stamp_of(file);
    files_.emplace(std::move(file), stamp);
  }
  for (const std::filesystem::path& folder : folders)
    if (notify_)
      ::inotify_add_watch(notify_.get(), folder.c_str(),
                          IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE | IN_CREATE);
}

Changes::Stamp Changes::stamp_of(const std::filesystem::path& file) {
  struct stat now {};
  if (::stat(file.c_str(), &now) != 0) return {};
  return {now.st_ino, now.st_size, now.st_mtim.tv_sec, now.st_mtim.tv_nsec};
}

void Changes::drain() {
  alignas(inotify_event) std::array<char, 4096> events;
  while (::read(notify_.get(), events.data(), events.size()) > 0) {
  }
}

std::vector<std::filesystem::path> Changes::look() {
  std::vector<std::filesystem::path> changed;
  for (auto& [file, last] : files_) {
    const Stamp now = stamp_of(file);
    if (now == last) continue;
    last = now;
    changed.push_back(file);
  }
  return changed;
}

}  // namespace ladder::cli::serve
