// ladder dev pictures: the lens's pictures that a lesson shows, made anew from its solutions.
#include <algorithm>

#include <toml++/toml.h>

#include "grader/actions/lens.h"
#include "grader/apps/ladder/commands/author/dev.h"
#include "grader/course/names.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/present/lens_view.h"
#include "simulator/lens/svg.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

struct DevPicturesOptions {
  std::string lesson;
};

/// The access of that kind that costs most in all launches of a rung.
const sim::AccessRecord& costliest(const std::vector<sim::KernelRecord>& kernels, const std::string& space,
                                   const std::string& access, const std::string& where) {
  const sim::AccessRecord* most = nullptr;
  for (const sim::KernelRecord& kernel : kernels)
    for (const sim::LineRecord& line : kernel.lines)
      for (const sim::AccessRecord& a : line.accesses)
        if (to_string(a.space) == space && instruction_name(a.access) == access && a.sample.mask != 0 &&
            (most == nullptr || a.cost > most->cost))
          most = &a;
  if (most == nullptr)
    throw Failure(ExitCode::failed, fmt::format("{}: the rung has no {} {} to draw", where, space, access));
  return *most;
}

/// A warp of the rung's longest launch, from beginning to end.
sim::lens::Activity warp_of(const std::vector<sim::KernelRecord>& kernels, const std::string& where) {
  constexpr std::size_t kSlots = 240;  // two pixels each
  const sim::KernelRecord* longest = nullptr;
  for (const sim::KernelRecord& kernel : kernels)
    if (!kernel.trace.empty() && (longest == nullptr || kernel.modelled_ns > longest->modelled_ns))
      longest = &kernel;
  if (longest == nullptr)
    throw Failure(ExitCode::failed, fmt::format("{}: the rung has no traced warp to draw", where));
  return sim::lens::activity_of(longest->trace, kSlots);
}

std::string text_of(const toml::table& table, const char* key, const fs::path& file) {
  const auto value = table[key].value<std::string>();
  if (!value)
    throw Failure(ExitCode::failed, fmt::format("{}: {} is missing, or no string", file.string(), key));
  return *value;
}

/// Makes the picture that a lesson's picture.toml describes.
void draw(Context& context, const LessonInfo& lesson, const fs::path& file) {
  const toml::table picture = toml::parse_file(file.string());
  std::vector<sim::lens::Panel> panels;
  const toml::array* wanted = picture["panel"].as_array();
  for (std::size_t i = 0; wanted != nullptr && i < wanted->size(); ++i) {
    const toml::table& panel = *wanted->get(i)->as_table();
    const std::string rung = lesson.name + "." + text_of(panel, "rung", file);
    const RungResult ran = look_at(context, find_rung(context.course(), rung), Side::solution);
    const auto kernels = longest_of_each(ran.verdict.kernels);
    const std::string heading = text_of(panel, "heading", file), space = text_of(panel, "space", file);
    if (space == "lanes")
      panels.push_back({heading, warp_of(kernels, rung)});
    else
      panels.push_back({heading, costliest(kernels, space, text_of(panel, "access", file), rung)});
  }
  const fs::path to = lesson.folder / text_of(picture, "file", file);
  write_file(to, sim::lens::svg_file(text_of(picture, "title", file), panels));
  context.line("drew {}", context.shown(to));
}

ExitCode pictures(Context& context, const DevPicturesOptions& options) {
  const Course& course = context.course();
  const LessonInfo* one = options.lesson.empty() ? nullptr : &find_lesson(course, options.lesson);
  for (const LessonInfo& lesson : course.lessons) {
    const fs::path file = lesson.folder / "picture.toml";
    if ((one == nullptr || one == &lesson) && fs::exists(file)) draw(context, lesson, file);
  }
  return ExitCode::passed;
}

}  // namespace

void add_dev_pictures(Commands& commands, CLI::App* dev) {
  const auto [command, options] =
      commands.add("pictures", "draw the access patterns that lessons show, from their solutions",
                   "  ./ladder dev pictures      of all lessons that have a picture.toml\n"
                   "  ./ladder dev pictures 05   of one\n",
                   pictures, dev);
  command->add_option("lesson", options.lesson, "one lesson only");
}

}  // namespace ladder::cli
