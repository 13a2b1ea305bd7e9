// ladder hunt: kernels with one mistake, to be found and mended.
#include <algorithm>
#include <random>

#include "grader/apps/ladder/commands/commands.h"
#include "grader/course/edition.h"
#include "grader/course/rung_files.h"
#include "grader/hunt/exercise.h"
#include "grader/hunt/hunt_log.h"
#include "grader/platform/files.h"
#include "grader/present/verdict_view.h"
#include "grader/run/lesson_run.h"

namespace ladder::cli {
namespace {

namespace fs = std::filesystem;
using hunt::Exercise;
using hunt::Hunted;
using hunt::HuntLog;

struct HuntOptions {
  std::string what;  ///< an exercise, a lesson, or nothing
  std::string about, kind;
  int line = 0;
  bool any = false, list = false, hint = false, reveal = false, again = false;
};

std::string kind_names() {
  std::string names;
  for (const hunt::Kind kind : hunt::all_kinds())
    names += (names.empty() ? "" : ", ") + std::string(to_string(kind));
  return names;
}

/// One run of the command: what it looks things up in.
class Hunt {
 public:
  Hunt(Context& context, const HuntOptions& options)
      : context_(context),
        options_(options),
        exercises_(hunt::load_exercises(context.project(), context.course())),
        log_(context.project()) {
    if (exercises_.empty()) throw Failure(ExitCode::usage, "there are no exercises here");
  }

  ExitCode run() {
    if (options_.list) return list();
    const bool one = options_.what.find(".h") != std::string::npos;
    const Exercise& exercise = one ? hunt::find_exercise(exercises_, options_.what) : next();
    if (options_.hint) return say("Hint", exercise.what().hint);
    if (options_.reveal) return reveal(exercise);
    if (options_.line > 0 || !options_.kind.empty()) return answer(exercise);
    const fs::path file = file_of(context_.project(), exercise);
    const bool began = fs::exists(file);
    if (began && options_.again) keep_numbered_copy(file, context_.project().backups() / "hunts");
    if (!began || options_.again) write_file(file, hand_out(exercise).text);
    const bool untouched = read_file(file) == hand_out(exercise).text;
    return one && !untouched ? judge(exercise, file) : task(exercise, file);
  }

 private:
  std::string code(const std::string& text) const { return context_.out.paint(Tone::code, text); }

  ExitCode say(const std::string& head, const std::string& text) const {
    context_.line("{}", context_.out.paint(Tone::strong, head));
    const std::string one_line = fmt::format("{}", fmt::join(split_lines(text), " "));
    for (const std::string& line : wrap(one_line, static_cast<std::size_t>(context_.out.width) - 2))
      context_.line("  {}", line);
    return ExitCode::passed;
  }

  ExitCode list() const {
    std::string lesson;
    std::size_t mended = 0;
    for (const Exercise& exercise : exercises_) {
      const Hunted hunted = log_.of(exercise);
      mended += hunted.mended;
      if (lesson != exercise.lesson->title)
        context_.line("{}", context_.out.paint(Tone::accent, lesson = exercise.lesson->title));
      context_.line("  {} {}  {}", hunted.mended ? context_.out.pick("✓", "+") : context_.out.pick("·", "."),
                    exercise.id(),
                    hunted.mended  ? std::string(to_string(exercise.what().kind)) + ", mended"
                    : hunted.found ? std::string(to_string(exercise.what().kind)) + ", found"
                                   : spoken(*exercise.rung));
    }
    context_.line("{} of {} mended", mended, exercises_.size());
    return ExitCode::passed;
  }

  /// The first that is not mended yet, or any of those.
  const Exercise& next() const {
    const LessonInfo* lesson =
        options_.what.empty() ? nullptr : &find_lesson(context_.course(), options_.what);
    std::vector<const Exercise*> open;
    for (const Exercise& exercise : exercises_) {
      const bool fits = (lesson == nullptr || exercise.lesson == lesson) &&
                        (options_.about.empty() || options_.about == to_string(exercise.what().kind));
      if (fits && !log_.of(exercise).mended) open.push_back(&exercise);
    }
    if (open.empty())
      throw Failure(ExitCode::usage, "no exercise of these is left", "./ladder hunt --list shows them all.");
    return options_.any ? *open[std::random_device()() % open.size()] : *open.front();
  }

  ExitCode task(const Exercise& exercise, const fs::path& file) const {
    const std::string id = exercise.id();
    context_.line("{}",
                  context_.out.paint(Tone::strong, fmt::format("{} {}: a finished rung with one mistake", id,
                                                               spoken(*exercise.rung))));
    context_.line("  file    {}", context_.shown(file));
    const bool blank_page = exercise.rung->is_blank_page();
    context_.line("  it has to do what {} says",
                  context_.shown(exercise.lesson->folder /
                                 (blank_page ? "blank_page.h" : exercise.lesson->short_name + ".h")));
    context_.line("  found   {}", code(fmt::format("./ladder hunt {} --line 42 --kind race", id)));
    for (const std::string& line :
         wrap("kinds: " + kind_names(), static_cast<std::size_t>(context_.out.width) - 10))
      context_.line("          {}", line);
    context_.line("  mended  {}", code("./ladder hunt " + id));
    context_.line("  stuck   {}", code(fmt::format("./ladder hunt {} --hint", id)));
    return ExitCode::passed;
  }

  ExitCode answer(const Exercise& exercise) {
    const auto kind = hunt::kind_from(options_.kind);
    if (options_.line <= 0 || !kind)
      throw Failure(ExitCode::usage, "an answer has a line and a kind", "Kinds are " + kind_names() + ".");
    const std::vector<int> lines = hand_out(exercise).lines;
    const bool line_right = std::find(lines.begin(), lines.end(), options_.line) != lines.end();
    const bool kind_right = *kind == exercise.what().kind;
    Hunted hunted = log_.of(exercise);
    hunted.found = hunted.found || (line_right && kind_right);
    hunted.guesses += line_right && kind_right ? 0 : 1;
    log_.note(exercise, hunted);
    if (line_right && kind_right) {
      say("Found.", exercise.what().learn);
      context_.line("  mend it, then  {}", code("./ladder hunt " + exercise.id()));
      return ExitCode::passed;
    }
    context_.line("{}", line_right ? "The line is right; it is another kind of mistake."
                        : kind_right
                            ? "The kind is right; it is another line of the file as it was handed out."
                            : "Neither the line nor the kind.");
    context_.line("  stuck   {}", code(fmt::format("./ladder hunt {} --hint", exercise.id())));
    return ExitCode::failed;
  }

  ExitCode reveal(const Exercise& exercise) const {
    std::string lines;
    for (const int line : hand_out(exercise).lines)
      lines += fmt::format("{}{}", lines.empty() ? "" : ", ", line);
    return say(fmt::format("{}, line {}", to_string(exercise.what().kind), lines), exercise.what().learn);
  }

  /// Builds and checks the file as `ladder run` does a rung, with all cases and findings; it is not timed.
  ExitCode judge(const Exercise& exercise, const fs::path& file) {
    LessonInfo lesson = *exercise.lesson;
    lesson.solutions_folder = file.parent_path();
    RungInfo rung = *exercise.rung;
    rung.name = file.stem();
    rung.how = {};
    LessonRunOptions options;
    options.side = Side::solution;
    options.device = "sim";
    options.check_only = true;
    options.beside = true;
    const Selection selection{&lesson, {&rung}, true};
    TransientLine progress(context_.out);
    const LessonRunResult result = run_lesson(context_.project(), selection, options, {}, progress);
    const Verdict& verdict = result.rungs.front().verdict;
    const VerdictView view{lesson, rung, verdict, context_.shown(file), {}, false};
    for (const std::string& line : verdict_block(view, context_.out)) context_.line("{}", line);
    if (verdict.outcome != Outcome::passed) {
      context_.line("  stuck   {}", code(fmt::format("./ladder hunt {} --hint", exercise.id())));
      context_.line("  again   {}", code("./ladder hunt " + exercise.id()));
      return ExitCode::failed;
    }
    Hunted hunted = log_.of(exercise);
    hunted.mended = true;
    log_.note(exercise, hunted);
    say(fmt::format("Mended. It was: {}", to_string(exercise.what().kind)), exercise.what().learn);
    context_.line("  next    {}", code("./ladder hunt"));
    return ExitCode::passed;
  }

  Context& context_;
  const HuntOptions& options_;
  const std::vector<Exercise> exercises_;
  HuntLog log_;
};

ExitCode run_hunt(Context& context, const HuntOptions& options) {
  expect_own_folder(context.project());
  expect_solutions(context.project());
  return Hunt(context, options).run();
}

}  // namespace

void add_hunt(Commands& commands) {
  const auto [command, options] =
      commands.add("hunt", "a kernel with one mistake: find it, name it, mend it",
                   "  ./ladder hunt                                the next one\n"
                   "  ./ladder hunt 05 / --about race / --any      of a lesson, of a kind, whichever\n"
                   "  ./ladder hunt 05.h3f2a --line 18 --kind race say what is wrong\n"
                   "  ./ladder hunt 05.h3f2a                       check the file that you mended\n",
                   run_hunt);
  command->add_option("exercise", options.what, "an exercise such as 05.h3f2a, or a lesson");
  command->add_option("--line", options.line, "of the file as it was handed out")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  command->add_option("--kind", options.kind, kind_names())->type_name("KIND");
  command->add_option("--about", options.about, "only mistakes of this kind")->type_name("KIND");
  command->add_flag("--any", options.any, "whichever is open, by chance");
  command->add_flag("--hint", options.hint, "where to look");
  command->add_flag("--reveal", options.reveal, "the line and the kind");
  command->add_flag("--again", options.again, "the file as it was handed out; yours is kept as a backup");
  command->add_flag("--list", options.list, "all exercises, and how far you are");
}

}  // namespace ladder::cli
