#include "grader/grade/sandbox/sandbox.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <thread>
#include <utility>

#include "grader/build/toolchain.h"
#include "grader/grade/sandbox/control_group.h"
#include "grader/grade/sandbox/lease.h"
#include "grader/platform/environment.h"
#include "grader/platform/process/run_process.h"

namespace ladder::cli::grade {
namespace fs = std::filesystem;
namespace {

using Words = std::vector<std::string>;
/// Whether cells have users of their own; others have namespaces of users, in which they are nobody.
bool gives_users() { return users_for_cells().has_value(); }

void add(Words& words, std::initializer_list<std::string> more) { words.insert(words.end(), more); }

bool lies_in(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_normal().lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

/// Folders that everybody may enter, down to @p folder; bubblewrap's own would be its user's alone.
void make_folders(Words& words, const fs::path& folder) {
  if (folder == "/" || lies_in(folder, "/usr")) return;
  make_folders(words, folder.parent_path());
  add(words, {"--perms", "0755", "--dir", folder.string()});
}

void bind(Words& words, const char* how, const Cell::Bind& bind) {
  make_folders(words, bind.inside.parent_path());
  add(words, {how, bind.outside.string(), bind.inside.string()});
}

/// What the programs of the cells need from outside /usr: the toolkit, the host compiler, the set-up's
/// packages, libraries that LD_LIBRARY_PATH names, and what the user adds.
std::vector<fs::path> folders_outside_usr(const Grading& grading) {
  const auto prefix_of = [](const std::string& program) {
    std::error_code error;
    return program.empty() ? fs::path() : fs::canonical(program, error).parent_path().parent_path();
  };
  std::vector<fs::path> folders = {prefix_of(find_nvcc(grading.project)),
                                   prefix_of(toolchain(grading.project).value("host_compiler", "")),
                                   grading.project.state() / "root"};
  std::istringstream libraries(environment("LD_LIBRARY_PATH"));
  for (std::string folder; std::getline(libraries, folder, ':');) {
    const bool ours = std::any_of(grading.hidden_folders.begin(), grading.hidden_folders.end(),
                                  [&](const fs::path& hidden) { return lies_in(folder, hidden); });
    if (!ours) folders.emplace_back(folder);
  }
  folders.insert(folders.end(), grading.shown_folders.begin(), grading.shown_folders.end());
  std::erase_if(folders, [](const fs::path& folder) {
    std::error_code error;
    return !folder.is_absolute() || folder == "/" || lies_in(folder, "/usr") ||
           !fs::is_directory(folder, error);
  });
  return folders;
}

/// Programs and libraries: nothing of anybody's home, of /etc only what the loader and the compiler want.
void show_system(Words& words, const Grading& grading) {
  add(words, {"--ro-bind", "/usr", "/usr"});
  for (const fs::path& folder : grading.hidden_folders)
    if (lies_in(folder, "/usr")) add(words, {"--tmpfs", folder.string()});
  for (const char* merged : {"/bin", "/sbin", "/lib", "/lib64", "/lib32"}) {
    std::error_code error;
    if (fs::is_symlink(merged, error))
      add(words, {"--symlink", fs::read_symlink(merged).string(), merged});
    else if (fs::exists(merged, error))
      add(words, {"--ro-bind", merged, merged});
  }
  make_folders(words, "/etc");
  for (const char* file : {"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives"})
    add(words, {"--ro-bind-try", file, file});
  for (const fs::path& folder : folders_outside_usr(grading)) bind(words, "--ro-bind", {folder, folder});
}

/// Of device files those that nobody can keep anything in: /dev/zero, mapped, is memory that no process is
/// seen to hold, and the whole machine shares a number of terminals.
void show_devices(Words& words) {
  add(words, {"--perms", "0755", "--tmpfs", "/dev"});
  for (const char* device : {"/dev/null", "/dev/random", "/dev/urandom"})
    add(words, {"--dev-bind", device, device});
  add(words, {"--symlink", "/proc/self/fd", "/dev/fd", "--symlink", "/proc/self/fd/0", "/dev/stdin"});
  add(words, {"--symlink", "/proc/self/fd/1", "/dev/stdout", "--symlink", "/proc/self/fd/2", "/dev/stderr"});
}

/// The device files of NVIDIA's driver, and what it reads of the system.
void show_gpu(Words& words) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/dev", error)) {
    const std::string path = entry.path().string();
    if (path.starts_with("/dev/nvidia") || path == "/dev/dxg") add(words, {"--dev-bind", path, path});
  }
  for (const char* folder : {"/sys/devices", "/sys/bus/pci", "/sys/module/nvidia", "/sys/module/nvidia_uvm"})
    if (fs::exists(folder, error)) bind(words, "--ro-bind", {folder, folder});
}

/// Where programs are looked for: the system's folders, and the set-up's own in the checkout.
std::string search_path(const Grading& grading) {
  std::string path;
  std::istringstream folders(environment("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');)
    if (lies_in(folder, grading.project.state())) path += folder + ":";
  return path + "/usr/local/bin:/usr/bin:/bin";
}

/// The words before a program's own, in two parts: between them more can be shown.
struct Entry {
  Words first, last;
};

Entry bubblewrap(const Grading& grading, const Cell& cell) {
  Entry entry;
  Words& words = entry.first;
  words = {"bwrap",
           "--unshare-pid",
           "--unshare-net",
           "--unshare-ipc",
           "--unshare-uts",
           "--unshare-cgroup-try",
           "--as-pid-1",
           "--die-with-parent",
           "--new-session",
           "--hostname",
           "cell",
           "--cap-drop",
           "ALL"};
  if (gives_users())  // to become somebody else inside, and for nothing else
    add(words, {"--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"});
  else
    add(words, {"--unshare-user", "--uid", "65534", "--gid", "65534"});
  show_system(words, grading);
  const std::string tmp = std::to_string(std::size_t(cell.tmp_mb) << 20);
  add(words, {"--proc", "/proc"});
  show_devices(words);
  if (cell.gpu) show_gpu(words);
  add(words, {"--perms", "1777", "--size", tmp, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"});
  add(words, {"--perms", "1777", "--size", tmp, "--tmpfs", "/tmp"});
  for (const fs::path& folder : cell.folders) make_folders(words, folder);
  for (const Cell::Bind& one : cell.read_only) bind(words, "--ro-bind", one);
  Words& rest = entry.last;
  for (const Cell::Bind& one : cell.writable) bind(rest, "--bind", one);
  const fs::path confine = grading.project.binary("ladder-confine");
  bind(rest, "--ro-bind", {confine, confine});
  add(rest, {"--chdir", "/tmp", "--clearenv", "--setenv", "HOME", "/tmp", "--setenv", "TMPDIR", "/tmp",
             "--setenv", "LC_ALL", "C.UTF-8"});
  add(rest, {"--setenv", "PATH", search_path(grading)});
  // By CUDA's variables a cluster tells a task which of the node's GPUs is its own.
  for (const char* name : {"LD_LIBRARY_PATH", "LADDER_SIM_GPU", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"})
    if (const std::string value = environment(name); !value.empty()) add(rest, {"--setenv", name, value});
  return entry;
}

/// Whether the kernel counts a cell's processes apart from the rest of their user's: root's cells have users
/// that no other grading has; others' have namespaces of users, which are counted by themselves since
/// Linux 5.14.
bool processes_are_counted() {
  utsname system{};
  int major = 0, minor = 0;
  return gives_users() ||
         (::uname(&system) == 0 && std::sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
          std::pair(major, minor) >= std::pair(5, 14));
}

int process_limit(int wanted) {
  return wanted + 4 * static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

/// What all processes of a cell may hold together, with its memory folders.
int memory_of_all(const Cell& cell) {
  if (cell.whole_mb > 0) return cell.whole_mb;
  return cell.memory_mb > 0 ? cell.memory_mb + 2 * cell.tmp_mb : 0;
}

std::string groups_of_cells() {
  const ControlGroup& group = ControlGroup::of_this_process();
  if (!group.why_not().empty()) return "control groups: none, for " + group.why_not();
  std::string list;
  for (const char* controller : {"pids", "memory", "cpu"})
    if (group.has(controller)) list += fmt::format("{}{}", list.empty() ? "" : ", ", controller);
  return fmt::format("control groups: the kernel limits each cell's {}", list);
}

/// Without a sandbox only the limits remain.
Entry entry_of(const Grading& grading, const Cell& cell) {
  Entry entry;
  if (grading.sandboxed) {
    entry = bubblewrap(grading, cell);
    const Words group =
        ControlGroup::of_this_process().enter(process_limit(cell.processes), memory_of_all(cell));
    entry.first.insert(entry.first.begin(), group.begin(), group.end());
    add(entry.last, {"--remount-ro", "/", "--"});
  }
  Words& words = entry.last;
  add(words,
      {grading.project.binary("ladder-confine").string(), "--open-files", std::to_string(cell.open_files)});
  if (grading.sandboxed) add(words, {"--init"});
  if (cell.file_mb > 0) add(words, {"--file-mb", std::to_string(cell.file_mb)});
#ifndef __SANITIZE_ADDRESS__  // which takes terabytes of addresses
  if (cell.memory_mb > 0) add(words, {"--memory-mb", std::to_string(cell.memory_mb)});
#endif
  if (cell.cpu_seconds > 0) add(words, {"--cpu-seconds", std::to_string(cell.cpu_seconds)});
  if (cell.gpu || !grading.sandboxed) add(words, {"--driver"});
  if (grading.sandboxed) {
    if (processes_are_counted()) add(words, {"--processes", std::to_string(process_limit(cell.processes))});
    if (gives_users()) add(words, {"--uid", std::to_string(user_of_cells())});
  }
  add(words, {"--"});
  return entry;
}

}  // namespace

std::vector<std::string> enter(const Grading& grading, const Cell& cell) {
  Entry entry = entry_of(grading, cell);
  entry.first.insert(entry.first.end(), entry.last.begin(), entry.last.end());
  return std::move(entry.first);
}

WorkerCommand worker_command(const Grading& grading, const Cell& cell, const fs::path& program) {
  const Entry entry = entry_of(grading, cell);
  WorkerCommand command;
  command.add(entry.first);
  if (grading.sandboxed)
    command.groups.push_back({"--ro-bind", WorkerCommand::kFolder, WorkerCommand::kFolder});
  command.add(entry.last);
  command.add({program.string()});
  return command;
}

std::string why_no_sandbox(const Grading& grading) {
  if (capture({"bwrap", "--version"}).status.code == 127)
    return "bubblewrap is not installed (apt install bubblewrap)";
#ifdef __SANITIZE_ADDRESS__
  return "a build with a sanitizer needs more memory, and more calls of the system, than a cell allows";
#endif
  Grading sandboxed = grading;
  sandboxed.sandboxed = true;
  Words words = enter(sandboxed, Cell{});
  const std::string compiler = toolchain(grading.project).value("host_compiler", "true");
  words.insert(words.end(), {compiler, "--version"});  // a cell without a compiler is of no use
  const Captured tried = capture(words);
  if (tried.status.ok()) return {};
  std::string reason = tried.output.substr(0, tried.output.find('\n'));
  if (reason.find("amespace") != std::string::npos || reason.find("not permitted") != std::string::npos)
    reason += " (this system, or the container this runs in, forbids namespaces)";
  return "bubblewrap cannot make a sandbox here: " + reason;
}

std::vector<std::string> measures(const Grading& grading) {
  const Limits& limits = grading.limits;
  std::vector<std::string> list;
  if (grading.sandboxed) {
    list = {
        "bubblewrap: no network, own process list, read-only system without the course, private /tmp and "
        "home",
        fmt::format("user: {}", gives_users() ? "one without rights, of no other grading"
                                              : "nobody, in a user namespace"),
        processes_are_counted() || ControlGroup::of_this_process().has("pids")
            ? fmt::format("processes and threads of a cell: {}", process_limit(limits.processes))
            : "processes: as many as the user may have (Linux before 5.14)"};
  }
  list.push_back("system calls: no tracing, mounts, namespaces, bpf, io_uring, keys");
  if (grading.sandboxed && !grading.gpu)
    list.push_back(
        "memory: none but what is seen in the cell: no sockets, memory files, shared memory without a file");
  list.push_back("cores: of no other grading, where one is free");
  if (grading.sandboxed) list.push_back(groups_of_cells());
  list.push_back(fmt::format("files: {} MiB{}", limits.file_mb,
                             grading.sandboxed ? " in /tmp, and as much in /dev/shm" : " each"));
  list.push_back(fmt::format(
      "memory of a rung: {} MiB beyond the lesson's arrays, looked at 50 times a second", limits.memory_mb));
  list.push_back(fmt::format("time: {:g} s for a call, {:g} s for a rung, {:g} s for the compiler",
                             limits.call_seconds, limits.rung_seconds, limits.compile_seconds));
  return list;
}

}  // namespace ladder::cli::grade
