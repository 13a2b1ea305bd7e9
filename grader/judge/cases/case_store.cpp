#include "grader/judge/cases/case_store.h"

#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

namespace ladder {
namespace {

constexpr std::size_t kOtherFiles =
    96;  // for the cases at hand while a failure is looked into, and for the talk with rungs

}  // namespace

LessonPlugin::LessonPlugin(const std::string& path) {
  void* plugin = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (plugin == nullptr) throw std::runtime_error(std::string("the lesson cannot be loaded: ") + dlerror());
  auto* make = reinterpret_cast<Lesson* (*)()>(dlsym(plugin, "ladder_make_lesson"));
  if (make == nullptr) throw std::runtime_error("'" + path + "' is no lesson: it lacks LADDER_LESSON(...)");
  lesson_.reset(make());
}

CaseStore::CaseStore(const Lesson& lesson, const Secret& secret) : lesson_(lesson), secret_(secret) {
  // A third of the machine: the worker holds the arrays too, and so does a simulated device.
  room_ =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 3;
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files_ = files.rlim_cur > kOtherFiles ? files.rlim_cur - kOtherFiles : 0;
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
  for (const Kept& kept : kept_)
    if (kept.key == key) return kept.prepared;
  auto prepared = make(which);
  std::size_t bytes = prepared->bytes();
  for (const Buffer& buffer : prepared->problem.buffers()) bytes += buffer.expected.size() * sizeof(double);
  const std::size_t files = prepared->files();
  if (bytes <= room_ && files <= files_) {
    room_ -= bytes;
    files_ -= files;
    kept_.push_back({key, prepared, bytes, files});
  }
  return prepared;
}

bool CaseStore::keeps(const Case& which) const {
  const std::string key = key_of(which);
  return std::any_of(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.key == key; });
}

void CaseStore::forget() {
  for (const Kept& kept : kept_) {
    room_ += kept.bytes;
    files_ += kept.files;
  }
  kept_.clear();
}

}  // namespace ladder
