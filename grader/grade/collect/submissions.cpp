#include "grader/grade/collect/submissions.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "grader/grade/collect/answer.h"
#include "grader/grade/collect/archive.h"
#include "grader/grade/collect/collector.h"
#include "grader/grade/collect/locate.h"
#include "grader/grade/collect/names_alike.h"
#include "grader/grade/collect/remotes.h"
#include "grader/grade/collect/tree.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/process/run_process.h"
#include "grader/platform/read_plain.h"
#include "grader/platform/sha256.h"
#include "grader/platform/text.h"

namespace ladder::cli::grade {
namespace fs = std::filesystem;
namespace {

constexpr int kSecondsToRead = 120;                // one submission; an honest one takes less than one
constexpr int kSecondsToFetch = 400;               // a repository, with git's own limit of 300 for its part
constexpr std::size_t kLongestAnswer = 64u << 20;  // bytes; collector.h's bounds, as JSON
constexpr rlim_t kMostMemory = rlim_t{4} << 30;    // bytes of address space of each process that reads
constexpr std::size_t kLongestList = 16u << 20;    // bytes, of remotes
constexpr std::size_t kMostStudents = 1'000'000;   // and single files of theirs
constexpr std::size_t kLookedAt = 1000;            // files of a folder that may be a lesson's

/// Has @p read fill in a submission in a process of its own: what is hostile may crash that process, stop it
/// for good or make it take all memory, and costs one student.
void read_apart(const Grading& grading, const Course& course, Submission& submission, int seconds,
                const std::function<void(Collector&)>& read) {
  std::string said, answer;
  const auto work = [&](const Sender& send) {
#ifndef __SANITIZE_ADDRESS__  // which takes terabytes of addresses
    rlimit memory{};
    ::getrlimit(RLIMIT_AS, &memory);
    memory.rlim_cur = std::min(memory.rlim_max, kMostMemory);
    ::setrlimit(RLIMIT_AS, &memory);
#endif
    Submission found;
    Collector collector(grading, course, found);
    read(collector);
    collector.finish();
    send(answer_of(found));
  };
  const auto keep = [](std::string& kept, std::size_t most) {
    return [&kept, most](std::string_view line) {
      if (kept.size() + line.size() <= most) kept += line;
    };
  };
  try {
    const ExitStatus status = run_apart(work, seconds, keep(said, 400), keep(answer, kLongestAnswer));
    if (status.signal == SIGKILL)
      submission.problem = fmt::format("it could not be read within {} s", seconds);
    else if (!status.ok())
      submission.problem = fmt::format("it could not be read: {}",
                                       status.signal != 0 ? fmt::format("signal {}", status.signal) : said);
    else
      take_answer(answer, course, submission);
  } catch (const Failure& failure) {
    if (failure.code() == ExitCode::interrupted) throw;
    submission.problem = failure.what();
  }
  for (const char* left : {"unpack", "git"})
    remove_wholly(grading.work / left);  // by a process that was killed
}

/// The parts that one student handed in: a folder, archives, single files.
using Parts = std::vector<fs::path>;

void read_part(Collector& collector, const Grading& grading, const fs::path& part,
               const std::string& shown_as) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(part, error);
  if (fs::is_directory(status))
    collector.add_with_archives(*folder_tree(part));
  else if (fs::is_regular_file(status) && is_archive(part))
    collector.add_with_archives(*archive_tree(grading, part), 1);
  else
    collector.add(*file_tree(part, shown_as));
}

Submission read_submission(const Grading& grading, const Course& course, const std::string& student,
                           const Parts& parts, bool late) {
  Submission submission;
  submission.student = student;
  submission.source = shortened(parts.front().string(), kLongestPath);
  submission.marked_late = late;
  read_apart(grading, course, submission, kSecondsToRead, [&](Collector& collector) {
    for (const fs::path& part : parts) {
      try {
        const std::string name = part.filename().string(), rest = owner_of(name).rest;
        read_part(collector, grading, part, rest.empty() ? name : rest);
      } catch (const Failure& failure) {
        if (failure.code() == ExitCode::interrupted) throw;
        collector.complain(failure.what());
      }
    }
  });
  return submission;
}

/// Whether a rung of the lesson that the folder is named after lies in it.
bool holds_its_lesson(const Course& course, const fs::path& folder) {
  const auto names = list_plain(folder, "", kLookedAt);
  return names && std::any_of(names->begin(), names->end(), [&](const Name& file) {
           return locate(course, folder.filename().string() + "/" + file.name).rung != nullptr;
         });
}

/// Whether it is the course's own folder of lessons, or a copy of it.
bool holds_lessons(const Course& course, const fs::path& folder) {
  const auto names = list_plain(folder, "", kLookedAt);
  return names && std::any_of(names->begin(), names->end(), [&](const Name& one) {
           return std::any_of(course.lessons.begin(), course.lessons.end(),
                              [&](const LessonInfo& lesson) { return lesson.name == one.name; });
         });
}

/// What shows that the folder is one student's work and not a class's; empty where nothing does.
std::string sign_of_one_student(const Course& course, const fs::path& folder,
                                const std::vector<Name>& names) {
  int numbers = 0, lessons = 0;  // "09" may be a lesson, or a team of that number
  std::string sign;
  for (const auto& [name, kind] : names) {
    if (name == "lessons" && holds_lessons(course, folder / name)) return name;
    for (const LessonInfo& lesson : course.lessons) {
      if (name == lesson.name) return name;
      if (name != lesson.id()) continue;
      ++numbers;
      if (holds_its_lesson(course, folder / name)) ++lessons, sign = name;
    }
    if (owner_of(name).rest.empty() && locate(course, name).rung != nullptr) return name;
  }
  return 2 * lessons > numbers ? sign : "";
}

std::vector<Submission> from_folder(const Grading& grading, const Course& course, const fs::path& folder,
                                    std::vector<std::string>& notes) {
  const auto names = list_plain(folder, "", kMostStudents);
  if (!names)
    throw Failure(ExitCode::environment,
                  fmt::format("cannot list {}: {}", folder.string(), std::strerror(errno)));
  if (const std::string sign = sign_of_one_student(course, folder, *names); !sign.empty()) {
    const fs::path whole = fs::canonical(folder);
    notes.push_back(fmt::format("taken for one student's work, since it holds {}", sign));
    return {read_submission(grading, course, whole.filename().string(), {whole}, false)};
  }
  struct Handed {
    Parts parts;
    bool late = false;
  };
  std::map<std::string, Handed> students;
  for (const auto& [name, kind] : *names) {
    const fs::path path = folder / name;
    const bool is_folder = kind == Name::Kind::folder;
    if (name.starts_with('.') || name == "__MACOSX") continue;
    if (name == "solutions") {  // an instructor's, beside the students'
      notes.push_back("the folder solutions is taken for nobody's work");
      continue;
    }
    Owner owner = owner_of(name);
    if (!is_folder && owner.rest.empty()) {
      if (!is_archive(path)) {  // a list, a README; or what a student thought to be an archive
        notes.push_back(
            fmt::format("{} is neither a folder nor an archive of a known kind: not taken", name));
        continue;
      }
      owner.student = path.stem().extension() == ".tar" ? path.stem().stem() : path.stem();
    }
    Handed& handed = students[owner.student];
    handed.parts.push_back(path);
    handed.late |= owner.late;
  }
  std::vector<Submission> submissions;
  for (auto& [student, handed] : students) {
    std::sort(handed.parts.begin(), handed.parts.end());
    submissions.push_back(read_submission(grading, course, student, handed.parts, handed.late));
  }
  return submissions;
}

/// Unpacks what a platform packed.
fs::path unpacked(const Grading& grading, const fs::path& archive, std::vector<std::string>& notes) {
  const fs::path into = grading.work / "unpacked";
  if (const std::size_t lost = unpack_class(grading, archive, into); lost > 0)
    notes.push_back(fmt::format(
        "{} of the archive's files could not be unpacked: names that are too long, perhaps", lost));
  // An archive of one folder is that folder.
  const auto top = list_plain(into, "", 2);
  const bool nested = top && top->size() == 1 && top->front().kind == Name::Kind::folder;
  return nested && owner_of(top->front().name).rest.empty() ? into / top->front().name : into;
}

/// The last word of a line is the remote, what stands before it the name; what follows a # is a remark where
/// a blank or nothing stands before it. Without a name: what the remote is called.
std::pair<std::string, std::string> name_and_remote(std::string line) {
  for (std::size_t at = 0; (at = line.find('#', at)) != std::string::npos; ++at)
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') line.resize(at);
  constexpr const char* kBlanks = " \t\r";
  const std::size_t end = line.find_last_not_of(kBlanks);
  if (end == std::string::npos) return {};
  line.resize(end + 1);
  const std::size_t before = line.find_last_of(kBlanks);
  const std::string remote = line.substr(before == std::string::npos ? 0 : before + 1);
  const std::size_t begin = line.find_first_not_of(kBlanks),
                    name_end = line.find_last_not_of(kBlanks, before);
  if (before != std::string::npos && begin < before)
    return {line.substr(begin, name_end - begin + 1), remote};
  return {fs::path(without_secrets(remote)).stem().string(), remote};
}

std::vector<Submission> from_list(const Grading& grading, const Course& course, const fs::path& list) {
  std::vector<Submission> submissions;
  std::size_t number = 0;
  for (const std::string& line : split_lines(read_file(list, kLongestList))) {
    ++number;
    const auto [name, remote] = name_and_remote(line);
    if (remote.empty()) continue;
    if (name.empty())
      throw Failure(ExitCode::usage,
                    fmt::format("{}:{}: want `name remote` or `remote`", list.string(), number));
    Submission submission;
    submission.student = without_secrets(name);  // somebody may have written the remote first
    submission.source = shortened(without_secrets(remote), kLongestPath);
    read_apart(grading, course, submission, kSecondsToFetch, [&](Collector& collector) {
      try {
        collector.add(*git_tree(grading, remote, grading.work / "git" / sha256(remote).substr(0, 16)));
      } catch (const Failure& failure) {
        if (failure.code() == ExitCode::interrupted) throw;
        collector.complain(scrubbed(failure.what(), remote));
      }
    });
    submissions.push_back(std::move(submission));
  }
  return submissions;
}

}  // namespace

std::vector<Submission> collect(const Grading& grading, const Course& course, const fs::path& from,
                                std::vector<std::string>* notes) {
  std::error_code error;
  const fs::file_status status = fs::status(from, error);
  std::vector<std::string> told;
  std::vector<Submission> submissions;
  if (fs::is_directory(status))
    submissions = from_folder(grading, course, from, told);
  else if (fs::is_regular_file(status))
    submissions = is_archive(from) ? from_folder(grading, course, unpacked(grading, from, told), told)
                                   : from_list(grading, course, from);
  else
    throw Failure(ExitCode::usage, fmt::format("{} is neither a folder nor a file", from.string()));
  if (submissions.empty())
    throw Failure(
        ExitCode::usage, fmt::format("{} holds no submission", from.string()),
        "Expected: a folder or an archive for each student, or a text file with `name remote` lines.");
  std::vector<std::string> names;
  for (const Submission& submission : submissions) names.push_back(submission.student);
  names = told_apart(names, told);
  for (std::size_t i = 0; i < names.size(); ++i) submissions[i].student = names[i];
  if (notes != nullptr) *notes = std::move(told);
  return submissions;
}

}  // namespace ladder::cli::grade
