#include "grader/cli/grade/submissions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <sstream>

#include "grader/cli/failure.h"
#include "grader/cli/files.h"
#include "grader/cli/grade/archive.h"
#include "grader/cli/grade/locate.h"
#include "grader/cli/grade/sha256.h"
#include "grader/cli/grade/tree.h"

namespace ladder::cli::grade {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostIgnored = 50;  // kept by name, for one student
constexpr int kMostArchives = 10;         // of one student
constexpr int kDeepestArchive = 3;        // archives in archives

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
    submission_.problem += (submission_.problem.empty() ? "" : "; ") + what;
  }

  /// Sorted as the course is.
  void finish() {
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

/// Whether the folder is one student's work and not a class's.
bool is_single(const Course& course, const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name == "lessons" || name == "solutions") return true;
    for (const LessonInfo& lesson : course.lessons)
      if (name == lesson.name || name == lesson.id()) return true;
    if (owner_of(name).rest.empty() && locate(course, name).rung != nullptr) return true;
  }
  return false;
}

std::vector<Submission> from_folder(const Run& run, const Course& course, const fs::path& folder) {
  if (is_single(course, folder)) {
    const fs::path whole = fs::canonical(folder);
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
      if (!is_archive(path)) continue;  // a list, a README
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

std::vector<Submission> from_list(const Run& run, const Course& course, const fs::path& list) {
  std::vector<Submission> submissions;
  std::size_t number = 0;
  for (const std::string& line : split_lines(read_file(list))) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::string name, remote, more;
    words >> name >> remote >> more;
    if (name.empty()) continue;
    if (!more.empty())
      throw Failure(ExitCode::usage,
                    fmt::format("{}:{}: want `name remote` or `remote`", list.string(), number));
    if (remote.empty()) remote = std::exchange(name, fs::path(name).stem().string());
    Submission submission;
    submission.student = name;
    submission.source = remote;
    Collector collector(course, submission);
    try {
      collector.add(*git_tree(run, remote, run.work / "git" / sha256(remote).substr(0, 16)));
    } catch (const Failure& failure) {
      if (failure.code() == ExitCode::interrupted) throw;
      submission.problem = failure.what();
    }
    collector.finish();
    submissions.push_back(std::move(submission));
  }
  return submissions;
}

}  // namespace

bool is_text(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    if (first == 0) return false;
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xC2 && first < 0xE0 ? 2
                               : first < 0xE0                  ? 0
                               : first < 0xF0                  ? 3
                               : first < 0xF5                  ? 4
                                                               : 0;
    if (length == 0 || i + length > text.size()) return false;
    std::uint32_t point = length == 1 ? first : first & (0x7Fu >> length);
    for (std::size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xC0) != 0x80) return false;
      point = point << 6 | (next & 0x3F);
    }
    const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
    if (overlong || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) return false;
    i += length;
  }
  return true;
}

std::vector<Submission> collect(const Run& run, const Course& course, const fs::path& from) {
  std::error_code error;
  const fs::file_status status = fs::status(from, error);
  std::vector<Submission> submissions;
  if (fs::is_directory(status))
    submissions = from_folder(run, course, from);
  else if (fs::is_regular_file(status))
    submissions =
        is_archive(from) ? from_folder(run, course, unpacked(run, from)) : from_list(run, course, from);
  else
    throw Failure(ExitCode::usage, fmt::format("{} is neither a folder nor a file", from.string()));
  if (submissions.empty())
    throw Failure(
        ExitCode::usage, fmt::format("{} holds no submission", from.string()),
        "Expected: a folder or an archive for each student, or a text file with `name remote` lines.");
  std::map<std::string, int> seen;
  for (Submission& submission : submissions)
    if (const int before = seen[submission.student]++; before > 0)
      submission.student += fmt::format("-{}", before + 1);
  return submissions;
}

}  // namespace ladder::cli::grade
