#include "grader/cli/progress.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "grader/cli/failure.h"
#include "grader/cli/files.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

/// Held while the progress file is read, changed and replaced.
class Lock {
 public:
  explicit Lock(const fs::path& file) {
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    fd_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd_ < 0)
      throw Failure(ExitCode::environment,
                    fmt::format("cannot write {}: {}", file.string(), std::strerror(errno)));
    while (::flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() { ::close(fd_); }

 private:
  int fd_ = -1;
};

json empty() { return {{"schema", 1}, {"rungs", json::object()}}; }

std::string text(const json& entry, const char* key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

const char* to_string(RungState state) {
  switch (state) {
    case RungState::untouched:
      return "untouched";
    case RungState::started:
      return "started";
    case RungState::failed:
      return "failed";
    case RungState::passed:
      return "passed";
    case RungState::changed:
      return "changed";
  }
  return "?";
}

Progress::Progress(fs::path state_folder) : file_(std::move(state_folder) / "progress.json") {
  data_ = load();
}

json Progress::load() {
  if (!fs::exists(file_)) return empty();
  json data = json::parse(read_file(file_), nullptr, false);
  if (data.is_object() && data.value("schema", json()).is_number() && data["rungs"].is_object()) return data;
  // Never overwritten: it may hold a term's work, and a person can often mend it.
  const fs::path kept = keep_numbered_copy(file_, file_.parent_path() / "unreadable");
  notice_ = fmt::format("the progress file could not be read; it was kept as {} and a new one begun",
                        kept.string());
  return empty();
}

void Progress::update(const std::function<void(json&)>& change) {
  const Lock lock(file_.parent_path() / "progress.lock");
  data_ = load();
  change(data_);
  write_file(file_, data_.dump(1) + "\n");
}

std::string Progress::key(const LessonInfo& lesson, const RungInfo& rung) {
  return lesson.short_name + "/" + rung.name;
}

const json* Progress::entry(const LessonInfo& lesson, const RungInfo& rung) const {
  const json& rungs = data_.at("rungs");
  const auto found = rungs.find(key(lesson, rung));
  return found != rungs.end() && found->is_object() ? &*found : nullptr;
}

void Progress::record_run(const LessonInfo& lesson, const RungInfo& rung, std::string_view contents,
                          std::string_view outcome, std::string_view device) {
  const std::string now = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  update([&](json& data) {
    json& entry = data["rungs"][key(lesson, rung)];
    if (!entry.is_object()) entry = json::object();
    entry["last"] = {{"hash", content_hash(contents)}, {"outcome", outcome}, {"device", device}, {"at", now}};
    if (outcome == "passed") entry["passed"] = entry["last"];
    data["last_run"] = key(lesson, rung);
  });
}

RungState Progress::state(const LessonInfo& lesson, const RungInfo& rung, std::string_view contents,
                          std::string_view skeleton) const {
  const json* found = entry(lesson, rung);
  const std::string hash = content_hash(contents);
  const json nothing = json::object();
  const auto part = [&](const char* name) -> const json& {
    return found != nullptr && found->contains(name) && (*found)[name].is_object() ? (*found)[name] : nothing;
  };
  const json& last = part("last");
  // The same file may pass once and fail later: a race, or a case that another seed made.
  const bool ran_last = text(last, "hash") == hash;
  if (ran_last && text(last, "outcome") == "passed") return RungState::passed;
  if (contents == skeleton) return RungState::untouched;
  if (ran_last) return RungState::failed;
  if (text(part("passed"), "hash") == hash) return RungState::passed;
  return part("passed").empty() ? RungState::started : RungState::changed;
}

std::string Progress::last_run() const { return text(data_, "last_run"); }

int Progress::hints_shown(const LessonInfo& lesson, const RungInfo& rung) const {
  const json* found = entry(lesson, rung);
  if (found == nullptr || !found->contains("hints") || !(*found)["hints"].is_number_integer()) return 0;
  return (*found)["hints"].get<int>();
}

void Progress::set_hints_shown(const LessonInfo& lesson, const RungInfo& rung, int count) {
  update([&](json& data) {
    json& entry = data["rungs"][key(lesson, rung)];
    if (!entry.is_object()) entry = json::object();
    entry["hints"] = count;
  });
}

}  // namespace ladder::cli
