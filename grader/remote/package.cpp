#include "grader/remote/package.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <array>
#include <string_view>

#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/process/run_process.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

/// Libraries that belong to the machine: the C library
/// comes with its kernel's loader, libcuda with its driver.
bool stays_behind(std::string_view name) {
  constexpr std::array<std::string_view, 9> kSystem = {"libc.so",       "libm.so",    "libdl.so",
                                                       "libpthread.so", "librt.so",   "ld-linux",
                                                       "linux-vdso.so", "libcuda.so", "libresolv.so"};
  for (const std::string_view system : kSystem)
    if (name.starts_with(system)) return true;
  return false;
}

}  // namespace

Package::Package() : folder_(fs::temp_directory_path() / "ladder-stage-") {}

void Package::link(const fs::path& file, const fs::path& place) {
  if (!fs::exists(file)) throw Failure(ExitCode::environment, fmt::format("{} is missing", file.string()));
  const fs::path link = folder() / place;
  fs::create_directories(link.parent_path());
  if (!fs::exists(fs::symlink_status(link))) fs::create_symlink(fs::absolute(file), link);
}

void Package::write(const fs::path& place, const std::string& text, bool executable) {
  write_file(folder() / place, text);
  if (executable)
    fs::permissions(folder() / place, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                    fs::perm_options::add);
}

void Package::program(const Project& project, const std::string& name) {
  link(project.binary(name.c_str()), PackagePlaces::binary(name));
  libraries_of(project.binary(name.c_str()));
}

void Package::rungs(const Project& project, const Selection& selection, Side side) {
  const LessonInfo& lesson = *selection.lesson;
  const fs::path place = PackagePlaces::modules() / lesson.name;
  for (const fs::path& plugin : plugins_of(project, lesson)) {
    link(plugin, place / plugin.filename());
    libraries_of(plugin);
  }
  for (const RungInfo* rung : selection.rungs) {
    fs::path module = module_of(project, lesson, *rung, side);
    if (!fs::exists(module)) continue;  // the compiler refused it, and said so
    link(module, place / module.filename());
    module.replace_extension("check.ptx");
    if (fs::exists(module)) link(module, place / module.filename());
  }
  for (const char* name : {"peaks.so", "peaks_warpgroup.so"})
    if (const fs::path peaks = project.build / "modules" / name; fs::exists(peaks))
      link(peaks, PackagePlaces::modules() / name);
}

void Package::libraries_of(const fs::path& file) {
  // "	libfmt.so.9 => /lib/x86_64-linux-gnu/libfmt.so.9 (0x00007f...)"
  for (const std::string& line : split_lines(capture({"ldd", file.string()}).output)) {
    const std::size_t name = line.find_first_not_of(" \t"), arrow = line.find(" => /"),
                      address = line.rfind(" (0x");
    if (arrow == line.npos || address == line.npos || name >= arrow || address < arrow) continue;
    const std::string library = line.substr(name, arrow - name);
    const std::size_t path = arrow + 4;
    if (!stays_behind(library)) link(line.substr(path, address - path), PackagePlaces::libraries() / library);
  }
}

}  // namespace ladder::cli
