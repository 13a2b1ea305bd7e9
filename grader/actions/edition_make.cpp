// An edition from a checkout.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "grader/actions/edition.h"
#include "grader/course/names.h"
#include "grader/course/rung_files.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/process/run_process.h"
#include "grader/platform/sha256.h"
#include "grader/present/readme_tables.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

/// What of the root goes along. What is not named, an instructor's own folder say, does not.
constexpr std::array<std::string_view, 22> kRoot = {"ladder",
                                                    "CMakeLists.txt",
                                                    "CMakePresets.json",
                                                    "cmake",
                                                    "common",
                                                    "language",
                                                    "po",
                                                    "docs",
                                                    "grader",
                                                    "simulator",
                                                    "lessons",
                                                    "LICENSE",
                                                    "THIRD_PARTY.md",
                                                    "CHANGELOG.md",
                                                    "SECURITY.md",
                                                    "CITATION.cff",
                                                    ".clangd",
                                                    ".clang-format",
                                                    ".editorconfig",
                                                    ".gitignore",
                                                    ".vscode",
                                                    ".devcontainer"};
/// The site with the API, and the quotes of the checkout's README, which are made of the whole.
constexpr std::array<std::string_view, 6> kWholeOnly = {"docs/CMakeLists.txt", "docs/Doxyfile.in",
                                                        "docs/api.css",        "docs/api.md",
                                                        "docs/forms.cpp",      "docs/quotes.sh"};
/// Workflows that give a student's repository the verdicts of each push, and where a forge looks for them.
struct Workflow {
  const char* file;
  const char* to;
};
constexpr Workflow kWorkflows[] = {{"docs/edition/forge/github.yml", ".github/workflows/ladder.yml"},
                                   {"docs/edition/forge/gitlab.yml", ".gitlab-ci.yml"}};
constexpr const char* kReadme = "docs/edition/README.md";

std::vector<std::string> split_zeros(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0, end; (end = text.find('\0', at)) != text.npos; at = end + 1)
    parts.push_back(text.substr(at, end - at));
  return parts;
}

/// The files of the checkout: those that git knows, or, where it is no clone, all but hidden ones.
std::vector<std::string> files_of(const fs::path& root) {
  if (fs::exists(root / ".git")) {
    const Captured listed = capture({"git", "-C", root.string(), "ls-files", "-z"});
    if (!listed.status.ok())
      throw Failure(ExitCode::environment, "git cannot list the course's files", listed.output);
    return split_zeros(listed.output);
  }
  std::vector<std::string> files;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator();
       ++entry) {
    const fs::path relative = entry->path().lexically_relative(root);
    const bool named = std::find(kRoot.begin(), kRoot.end(), relative.begin()->string()) != kRoot.end();
    if (entry->is_directory() && !named) entry.disable_recursion_pending();
    if (entry->is_regular_file() && named) files.push_back(relative.generic_string());
  }
  return files;
}

/// What git does not know of, in folders that go along: it stays behind, which somebody may not expect.
std::vector<std::string> strangers_of(const fs::path& root) {
  if (!fs::exists(root / ".git")) return {};
  std::vector<std::string> strangers =
      split_zeros(capture({"git", "-C", root.string(), "ls-files", "-z", "--others", "--exclude-standard",
                           "--", "lessons", "docs"})
                      .output);
  std::erase_if(strangers, [](const std::string& name) { return is_rung_file(name); });
  return strangers;
}

class EditionMaker {
 public:
  EditionMaker(Context& context, const EditionRequest& request, const fs::path& to)
      : project_(context.project()), to_(to) {
    for (const LessonInfo& lesson : context.course().lessons) chosen_.lessons.push_back(lesson);
    if (request.lessons.empty()) return;
    std::vector<std::string> names;
    for (const std::string& word : request.lessons) names.push_back(find_lesson(context.course(), word).name);
    std::erase_if(chosen_.lessons, [&](const LessonInfo& lesson) {
      return std::find(names.begin(), names.end(), lesson.name) == names.end();
    });
  }

  Edition make(const std::string& name) {
    for (const std::string& file : files_of(project_.root))
      if (goes_along(file)) put(file, read_file(project_.root / file));
    for (const LessonInfo& lesson : chosen_.lessons)
      for (const RungInfo& rung : lesson.rungs)
        for (const char* folder : {"lessons", "skeletons"})
          put(fmt::format("{}/{}/{}.cu", folder, lesson.name, rung.name), skeleton_of(lesson, rung));
    write_readme();
    for (const Workflow& workflow : kWorkflows)
      if (fs::exists(project_.root / workflow.file))
        put(workflow.to, read_file(project_.root / workflow.file));
    edition_.name = name;
    const Captured commit = capture({"git", "-C", project_.root.string(), "rev-parse", "--short", "HEAD"});
    if (commit.status.ok()) edition_.commit = commit.output.substr(0, commit.output.find('\n'));
    write_file(to_ / kEditionFile, edition_json(edition_));
    return edition_;
  }
  std::size_t lessons() const { return chosen_.lessons.size(); }

 private:
  /// Rungs do not: somebody may have solved them here. They are made anew.
  bool goes_along(const fs::path& file) const {
    const auto is = [&](std::string_view name) { return file.generic_string() == name; };
    if (std::find(kRoot.begin(), kRoot.end(), file.begin()->string()) == kRoot.end() || is(kReadme))
      return false;
    if (std::any_of(kWholeOnly.begin(), kWholeOnly.end(), is) || is_rung_file(file)) return false;
    if (std::any_of(std::begin(kWorkflows), std::end(kWorkflows),
                    [&](const Workflow& workflow) { return is(workflow.file); }))
      return false;
    std::error_code ignored;
    if (!fs::is_regular_file(project_.root / file, ignored))
      return false;  // removed, and git was not told yet
    if (file.begin()->string() != "lessons" || file.parent_path() == "lessons") return true;
    const std::string lesson = std::next(file.begin())->string();
    return std::any_of(chosen_.lessons.begin(), chosen_.lessons.end(),
                       [&](const LessonInfo& l) { return l.name == lesson; });
  }

  void put(const std::string& file, std::string text) {
    if (file.starts_with("lessons/") || file.starts_with("skeletons/")) {
      Skeleton rest = without_hidden(text);
      if (!rest.problems.empty())
        throw Failure(
            ExitCode::failed,
            fmt::format("{}:{}: {}", file, rest.problems.front().line, rest.problems.front().message),
            "Nothing was written: what is to be hidden might have gone along.");
      text = std::move(rest.text);
      if (text.find("BEGIN SOLUTION") != text.npos)
        throw Failure(ExitCode::failed, file + " holds a solution between markers",
                      "Nothing was written. Solutions belong into solutions/.");
    }
    // A thousand files that nobody reads before all are there: no need to wait for the disk at each.
    fs::create_directories((to_ / file).parent_path());
    std::ofstream(to_ / file, std::ios::binary) << text;
    const fs::path source = project_.root / file;
    std::error_code ignored;
    if (fs::is_regular_file(source, ignored)) fs::permissions(to_ / file, fs::status(source).permissions());
    edition_.files[file] = sha256(text);
  }

  /// The page that students see first: the course's, with the lessons of this edition.
  void write_readme() {
    const fs::path file = project_.root / kReadme;
    if (!fs::exists(file)) return;
    const std::string page = read_file(file);
    put("README.md", between_marks(page, "map", map_table(chosen_, "lessons/")).value_or(page));
  }

  const Project& project_;
  fs::path to_;
  Course chosen_;
  Edition edition_;
};

bool names_archive(const fs::path& to) {
  const std::string name = to.filename().string();
  return name.find(".tar") != name.npos || name.ends_with(".tgz");
}

void pack(const fs::path& folder, const fs::path& to, const std::string& top) {
  const fs::path partial =
      to.parent_path() / ("partial." + to.filename().string());  // tar goes by the ending
  const Captured packed =
      capture({"tar", "-C", folder.string(), "--sort=name", "--owner=0", "--group=0", "--numeric-owner",
               "--transform", "s,^\\.," + top + ",", "-caf", partial.string(), "."});
  if (!packed.status.ok()) {
    std::error_code ignored;
    fs::remove(partial, ignored);
    throw Failure(ExitCode::environment, "tar could not write " + to.string(), packed.output);
  }
  fs::rename(partial, to);
}

/// Where it goes has to be empty, or an edition of before.
void expect_place(const fs::path& to) {
  if (!fs::exists(to) || fs::exists(to / kEditionFile)) return;
  if (!fs::is_directory(to))
    throw Failure(ExitCode::usage, to.string() + " is neither a folder nor called as an archive",
                  "Name a folder, or a file such as cuda-ladder-student.tar.gz.");
  for (const fs::directory_entry& entry : fs::directory_iterator(to))
    if (entry.path().filename() != ".git")
      throw Failure(ExitCode::usage,
                    to.string() + " has other things in it, such as " + entry.path().filename().string(),
                    "Name an empty folder, or one that has an edition of before.");
}

}  // namespace

ExitCode make_edition(Context& context, const EditionRequest& request) {
  expect_checkout(context.project(), "ladder dev edition");
  expect_solutions(context.project());
  if (!context.course().problems.empty())
    throw Failure(ExitCode::failed, context.course().problems.front().text(), "Nothing was written.");
  const fs::path to = fs::absolute(request.to).lexically_normal();
  const bool archive = names_archive(to);
  if (!archive) expect_place(to);
  fs::create_directories(context.project().state());
  const TemporaryFolder made(context.project().state() / "edition");
  EditionMaker maker(context, request, made.path());
  const Edition edition = maker.make(request.name);
  if (archive) {
    fs::create_directories(to.parent_path());
    pack(made.path(), to, "cuda-ladder");
  } else {
    fs::create_directories(to);
    replace_edition(to, made.path(), false);
  }
  context.line("written: {}, {} lessons in {} files", context.out.paint(Tone::code, context.shown(to)),
               maker.lessons(), edition.files.size() + 1);
  if (const Captured changed =
          capture({"git", "-C", context.project().root.string(), "status", "--porcelain", "-uno"});
      changed.status.ok() && !changed.output.empty())
    context.line("{} there are changes that are in no commit; they went along",
                 context.out.paint(Tone::warn, "note:"));
  for (const std::string& name : strangers_of(context.project().root))
    context.line("{} git does not know {}; it stayed behind", context.out.paint(Tone::warn, "note:"), name);
  return ExitCode::passed;
}

}  // namespace ladder::cli
