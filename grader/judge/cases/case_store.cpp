#include "grader/judge/cases/case_store.h"

#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "grader/lesson/blank_page.h"

namespace ladder {
namespace {

constexpr std::size_t kOtherFiles =
    96;  // for the cases at hand while a failure is looked into, and for the talk with rungs

std::unique_ptr<Lesson> open_plugin(const std::string& path) {
  void* plugin = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (plugin == nullptr) throw std::runtime_error(std::string("the lesson cannot be loaded: ") + dlerror());
  auto* make = reinterpret_cast<Lesson* (*)()>(dlsym(plugin, "ladder_make_lesson"));
  if (make == nullptr) throw std::runtime_error("'" + path + "' is no lesson: it lacks LADDER_LESSON(...)");
  return std::unique_ptr<Lesson>(make());
}

}  // namespace

LessonPlugin::LessonPlugin(const std::string& path, bool blank_page) : lesson_(open_plugin(path)) {
  if (blank_page)
    lesson_ =
        std::make_unique<WithBlankPage>(std::move(lesson_), open_plugin(plugin_for(path, "_blank_page")));
}

CaseStore::Kept* CaseStore::Shelf::find(const std::string& key) {
  const auto found =
      std::find_if(kept.begin(), kept.end(), [&](const Kept& candidate) { return candidate.key == key; });
  return found == kept.end() ? nullptr : &*found;
}

bool CaseStore::Shelf::keep(const std::string& key, const std::shared_ptr<PreparedCase>& prepared,
                            bool asked_for) {
  std::size_t bytes = prepared->bytes();
  for (const Buffer& buffer : prepared->problem.buffers()) bytes += buffer.expected.size() * sizeof(double);
  const std::size_t open = prepared->files();
  if (bytes > room || open > files) return false;
  room -= bytes;
  files -= open;
  kept.push_back({key, prepared, bytes, open, asked_for});
  return true;
}

CaseStore::CaseStore(const Lesson& lesson, const Secret& secret)
    : lesson_(lesson), secret_(secret), shelf_(std::make_unique<Shelf>()) {
  // A third of the machine: the worker holds the arrays too, and so does a simulated device.
  shelf_->room =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 3;
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  shelf_->files = files.rlim_cur > kOtherFiles ? files.rlim_cur - kOtherFiles : 0;
}

void CaseStore::make_ahead(std::vector<Case> coming) {
  ahead_ = std::jthread([this, coming = std::move(coming)](const std::stop_token& stop) {
    for (const Case& which : coming) {
      const std::string key = key_of(which);
      {
        const std::scoped_lock lock(shelf_->mutex);
        if (stop.stop_requested()) return;
        if (shelf_->find(key) != nullptr) continue;
        shelf_->being_made = key;
      }
      std::shared_ptr<PreparedCase> prepared;
      try {
        prepared = make(which);
      } catch (const std::exception&) {  // get() makes it once more, and says so
      }
      const std::scoped_lock lock(shelf_->mutex);
      shelf_->being_made.clear();
      shelf_->made.notify_all();
      if (shelf_->find(key) != nullptr) continue;  // asked for, and made there, while it was made here
      if (!prepared || !shelf_->keep(key, prepared, false)) return;
    }
  });
}

std::shared_ptr<PreparedCase> CaseStore::make(const Case& which) const { return prepare(which, "values"); }

std::shared_ptr<PreparedCase> CaseStore::make_other(const Case& which) const {
  return prepare(which, "other values");
}

std::shared_ptr<PreparedCase> CaseStore::prepare(const Case& which, std::string_view values) const {
  try {
    return prepare_case(lesson_, which, secret_, values);
  } catch (const std::exception& error) {
    throw std::runtime_error("the lesson fails on its case " + which.label() + ": " + error.what());
  }
}

std::shared_ptr<PreparedCase> CaseStore::get(const Case& which) {
  const std::string key = key_of(which);
  {
    std::unique_lock lock(shelf_->mutex);
    shelf_->made.wait(lock, [&] { return shelf_->being_made != key; });
    if (Kept* kept = shelf_->find(key)) {
      kept->asked_for = true;
      return kept->prepared;
    }
  }
  auto prepared = make(which);
  const std::scoped_lock lock(shelf_->mutex);
  if (Kept* kept = shelf_->find(key)) {  // made ahead meanwhile
    kept->asked_for = true;
    return kept->prepared;
  }
  (void)shelf_->keep(key, prepared, true);
  return prepared;
}

bool CaseStore::keeps(const Case& which) const {
  const std::scoped_lock lock(shelf_->mutex);
  return shelf_->find(key_of(which)) != nullptr;
}

void CaseStore::forget() {
  const std::scoped_lock lock(shelf_->mutex);
  std::erase_if(shelf_->kept, [&](const Kept& kept) {
    if (!kept.asked_for) return false;
    shelf_->room += kept.bytes;
    shelf_->files += kept.files;
    return true;
  });
}

}  // namespace ladder
