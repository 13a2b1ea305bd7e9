#include "grader/cli/grade/submissions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "grader/cli/failure.h"
#include "grader/cli/files.h"
#include "grader/cli/grade/archive.h"
#include "grader/cli/grade/locate.h"
#include "grader/cli/grade/sha256.h"
#include "grader/cli/grade/text.h"
#include "grader/cli/grade/tree.h"

namespace ladder::cli::grade {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostIgnored = 50;  // kept by name, for one student
constexpr int kMostArchives = 10;         // of one student
constexpr int kDeepestArchive = 3;        // archives in archives
constexpr int kMostComplaints = 5;        // told of one student in words; the rest is counted

/// Where the tree holds a whole copy of the course, its root with a slash at the end; else nothing.
std::optional<std::string> clone_root(const Tree& tree) {
  for (const Tree::Entry& entry : tree.entries()) {
    static constexpr std::string_view kMark = "lessons/CMakeLists.txt";
    if (entry.path == kMark || entry.path.ends_with("/" + std::string(kMark)))
      return entry.path.substr(0, entry.path.size() - kMark.size());
  }
  return std::nullopt;
}

class Collector {
 public:
  Collector(const Course& course, Submission& submission) : course_(course), submission_(submission) {}

  void add(const Tree& tree) {
    if (!tree.origin().empty()) submission_.origin = tree.origin();
    const std::optional<std::string> clone = clone_root(tree);
    for (const Tree::Entry& entry : tree.entries()) {
      // Of a copy of the course only the rungs in lessons/ are the student's; its solutions are ours.
      const bool ours = clone && !entry.path.starts_with(*clone + "lessons/");
      if (ours || is_hidden(entry.path) || entry.path.find("/peers/") != std::string::npos)
        ++submission_.others;
      else
        take(tree, entry);
    }
  }

  /// A tree, and the archives in it.
  void add_with_archives(const Run& run, const Tree& tree, int depth = 0) {
    add(tree);
    for (const Tree::Entry& entry : tree.entries()) {
      if (!entry.regular || !is_archive(entry.path) || is_hidden(entry.path) || tree.file(entry).empty())
        continue;
      if (depth == kDeepestArchive || archives_ == kMostArchives) {
        complain(fmt::format("{} was not looked into: archives in archives, or too many", entry.path));
        continue;
      }
      ++archives_;
      try {
        add_with_archives(run, *archive_tree(run, tree.file(entry)), depth + 1);
      } catch (const Failure& failure) {
        if (failure.code() == ExitCode::interrupted) throw;
        complain(failure.what());
      }
    }
  }

  /// Notes for the instructor what could not be read; the rest counts.
  void complain(const std::string& what) {
    if (++complaints_ > kMostComplaints) return;
    submission_.problem += (submission_.problem.empty() ? "" : "; ") + what;
  }

  /// Sorted as the course is.
  void finish() {
    if (complaints_ > kMostComplaints)
      submission_.problem += fmt::format("; and {} more such", complaints_ - kMostComplaints);
    std::sort(submission_.files.begin(), submission_.files.end(), [](const RungFile& a, const RungFile& b) {
      return a.lesson != b.lesson ? a.lesson->number < b.lesson->number : a.rung < b.rung;
    });
  }

 private:
  /// Whether it lies in a folder of machinery, or is a Mac's "._" companion of a file.
  static bool is_hidden(const std::string& path) {
    const std::vector<std::string> parts = components(path);
    return parts.empty() || parts.back().starts_with("._") ||
           std::any_of(parts.begin(), parts.end() - 1, [](const auto& p) { return is_machinery(p); });
  }

  void take(const Tree& tree, const Tree::Entry& entry) {
    Located at = locate(course_, entry.path);
    if (at.rung == nullptr) {
      if (at.why.empty() || is_the_courses(entry.path))
        ++submission_.others;
      else
        ignore(entry.path, at.why);
      return;
    }
    if (!entry.regular) return ignore(entry.path, "not a regular file (a link, perhaps)");
    std::optional<std::string> contents = tree.read(entry);
    if (!contents) return ignore(entry.path, "cannot be read, or is longer than 1 MiB");
    if (contents->starts_with("\xFF\xFE") || contents->starts_with("\xFE\xFF"))
      return ignore(entry.path, "is UTF-16 text: it has to be saved as UTF-8");
    if (!is_text(*contents)) return ignore(entry.path, "is no UTF-8 text");
    RungFile file{at.lesson, at.rung, entry.path, std::move(*contents), {}};
    file.hash = sha256(file.contents);
    const auto other = std::find_if(submission_.files.begin(), submission_.files.end(),
                                    [&](const RungFile& f) { return f.rung == file.rung; });
    if (other == submission_.files.end()) {
      submission_.files.push_back(std::move(file));
      return;
    }
    // A later upload ("1_serial-2.cu") wins over the earlier ones, else the file that lies less deep.
    const auto rank = [](const std::string& path) {
      return std::pair(components(path).size(), -newness(path));
    };
    const bool better = rank(file.path) < rank(other->path);
    const std::string taken = better ? file.path : other->path;
    ignore(better ? other->path : file.path, fmt::format("{} was taken for this rung", taken));
    if (better) *other = std::move(file);
  }

  /// Whether it is one of the course's own files beside the rungs, as whole lessons bring them.
  bool is_the_courses(const std::string& path) const {
    const std::vector<std::string> parts = components(path);
    for (const LessonInfo& lesson : course_.lessons) {
      const auto at = std::find(parts.begin(), parts.end(), lesson.name);
      fs::path file = lesson.folder;
      if (at == parts.end()) continue;
      for (auto part = at + 1; part != parts.end(); ++part) file /= *part;
      std::error_code error;
      return fs::exists(file, error);
    }
    return false;
  }

  /// The number that a platform gave to an upload of the same name; 0 for the first.
  static long newness(const std::string& path) {
    const std::size_t dot = path.rfind('.');
    const std::size_t digits = path.find_last_not_of("0123456789", dot - 1);
    if (digits == std::string::npos || path[digits] != '-' || digits + 1 == dot || dot - digits > 8) return 0;
    return std::stol(path.substr(digits + 1, dot - digits - 1));
  }

  void ignore(const std::string& path, const std::string& why) {
    ++submission_.others;
    if (submission_.ignored.size() < kMostIgnored) submission_.ignored.push_back({path, why});
  }

  const Course& course_;
  Submission& submission_;
  int archives_ = 0;
  int complaints_ = 0;
};

/// The parts that one student handed in: a folder, archives, single files.
using Parts = std::vector<fs::path>;

void read_part(Collector& collector, const Run& run, const fs::path& part, const std::string& shown_as) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(part, error);
  if (fs::is_directory(status))
    collector.add_with_archives(run, *folder_tree(part));
  else if (fs::is_regular_file(status) && is_archive(part))
    collector.add_with_archives(run, *archive_tree(run, part), 1);
  else
    collector.add(*file_tree(part, shown_as));
}

Submission read_submission(const Run& run, const Course& course, const std::string& student,
                           const Parts& parts, bool late) {
  Submission submission;
  submission.student = student;
  submission.source = parts.front().string();
  submission.marked_late = late;
  Collector collector(course, submission);
  for (const fs::path& part : parts) {
    try {
      const std::string name = part.filename().string(), rest = owner_of(name).rest;
      read_part(collector, run, part, rest.empty() ? name : rest);
    } catch (const Failure& failure) {
      if (failure.code() == ExitCode::interrupted) throw;
      collector.complain(failure.what());
    }
  }
  collector.finish();
  return submission;
}

/// Whether a rung of the lesson that the folder is named after lies in it.
bool holds_its_lesson(const Course& course, const fs::path& folder) {
  std::error_code error;
  const fs::directory_iterator files(folder, error);
  return std::any_of(begin(files), end(files), [&](const fs::directory_entry& file) {
    return locate(course, (folder.filename() / file.path().filename()).string()).rung != nullptr;
  });
}

/// What shows that the folder is one student's work and not a class's; empty where nothing does.
std::string sign_of_one_student(const Course& course, const fs::path& folder) {
  std::error_code error;
  int numbers = 0, lessons = 0;  // "09" may be a lesson, or a team of that number
  std::string sign;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name == "lessons" || name == "solutions") return name;
    for (const LessonInfo& lesson : course.lessons) {
      if (name == lesson.name) return name;
      if (name != lesson.id()) continue;
      ++numbers;
      if (holds_its_lesson(course, entry.path())) ++lessons, sign = name;
    }
    if (owner_of(name).rest.empty() && locate(course, name).rung != nullptr) return name;
  }
  return 2 * lessons > numbers ? sign : "";
}

std::vector<Submission> from_folder(const Run& run, const Course& course, const fs::path& folder,
                                    std::vector<std::string>& notes) {
  if (const std::string sign = sign_of_one_student(course, folder); !sign.empty()) {
    const fs::path whole = fs::canonical(folder);
    notes.push_back(fmt::format("taken for one student's work, since it holds {}", sign));
    return {read_submission(run, course, whole.filename().string(), {whole}, false)};
  }
  struct Handed {
    Parts parts;
    bool late = false;
  };
  std::map<std::string, Handed> students;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const fs::path path = entry.path();
    const std::string name = path.filename().string();
    const bool is_folder = fs::is_directory(entry.symlink_status(error));
    if (name.starts_with('.') || is_machinery(name)) continue;
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
    submissions.push_back(read_submission(run, course, student, handed.parts, handed.late));
  }
  return submissions;
}

/// Unpacks what a platform packed.
fs::path unpacked(const Run& run, const fs::path& archive) {
  const fs::path into = run.work / "unpacked";
  unpack_class(run, archive, into);
  // An archive of one folder is that folder.
  std::vector<fs::path> top;
  for (const fs::directory_entry& entry : fs::directory_iterator(into)) top.push_back(entry.path());
  const bool nested = top.size() == 1 && fs::is_directory(fs::symlink_status(top.front()));
  return nested && owner_of(top.front().filename()).rest.empty() ? top.front() : into;
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

std::vector<Submission> from_list(const Run& run, const Course& course, const fs::path& list) {
  std::vector<Submission> submissions;
  std::size_t number = 0;
  for (const std::string& line : split_lines(read_file(list))) {
    ++number;
    const auto [name, remote] = name_and_remote(line);
    if (remote.empty()) continue;
    if (name.empty())
      throw Failure(ExitCode::usage,
                    fmt::format("{}:{}: want `name remote` or `remote`", list.string(), number));
    Submission submission;
    submission.student = name;
    submission.source = without_secrets(remote);
    Collector collector(course, submission);
    try {
      collector.add(*git_tree(run, remote, run.work / "git" / sha256(remote).substr(0, 16)));
    } catch (const Failure& failure) {
      if (failure.code() == ExitCode::interrupted) throw;
      submission.problem = failure.what();
      for (std::size_t at;
           remote != submission.source && (at = submission.problem.find(remote)) != std::string::npos;)
        submission.problem.replace(at, remote.size(), submission.source);
    }
    collector.finish();
    submissions.push_back(std::move(submission));
  }
  return submissions;
}

}  // namespace

std::vector<Submission> collect(const Run& run, const Course& course, const fs::path& from,
                                std::vector<std::string>* notes) {
  std::error_code error;
  const fs::file_status status = fs::status(from, error);
  std::vector<std::string> told;
  std::vector<Submission> submissions;
  if (fs::is_directory(status))
    submissions = from_folder(run, course, from, told);
  else if (fs::is_regular_file(status))
    submissions =
        is_archive(from) ? from_folder(run, course, unpacked(run, from), told) : from_list(run, course, from);
  else
    throw Failure(ExitCode::usage, fmt::format("{} is neither a folder nor a file", from.string()));
  if (submissions.empty())
    throw Failure(
        ExitCode::usage, fmt::format("{} holds no submission", from.string()),
        "Expected: a folder or an archive for each student, or a text file with `name remote` lines.");
  std::set<std::string> names, used;
  for (Submission& submission : submissions)
    names.insert(submission.student = printable_name(submission.student));
  for (Submission& submission : submissions) {
    const std::string name = submission.student;
    if (used.insert(name).second) continue;  // who comes first keeps a name
    for (int number = 2; !names.insert(submission.student).second; ++number)
      submission.student = fmt::format("{}-{}", name, number);
  }
  if (notes != nullptr) *notes = std::move(told);
  return submissions;
}

}  // namespace ladder::cli::grade
