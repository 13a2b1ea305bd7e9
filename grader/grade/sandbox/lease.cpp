#include "grader/grade/sandbox/lease.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <utility>
#include <vector>

#include "grader/platform/failure.h"

namespace ladder::cli::grade {
namespace {

/// Where folders may be that all users of a machine write to, without deleting each other's files.
constexpr const char* kOfAll[] = {"/run/lock", "/var/lock", "/dev/shm", "/tmp"};
constexpr const char* kOfRoot = "/run/ladder";
constexpr Users kUsual = {90'000, 4'096};
constexpr Users kOfSixteenBits = {60'706, 478};
constexpr int kTriesForCore = 6'000;  // for a core: ten minutes, then one is shared
constexpr useconds_t kBetweenTriesForCore = 100'000;

/// A file for everybody to lock and nobody to write. @return nothing where that cannot be had
UniqueFd open_lock(const std::string& path) {
  // O_CREAT would be refused for others' files in such a folder (fs.protected_regular).
  for (int tries = 0; tries < 2; ++tries) {
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (fd || errno != ENOENT) return fd;
    fd.reset(::open(path.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444));
    if (!fd) continue;               // somebody else was faster
    (void)::fchmod(fd.get(), 0444);  // whatever the umask
    return fd;
  }
  return {};
}

bool is_good(const UniqueFd& fd, bool of_us) {
  struct stat facts {};
  return ::fstat(fd.get(), &facts) == 0 && S_ISREG(facts.st_mode) && (!of_us || facts.st_uid == ::geteuid());
}

/// The folder for the locks, the same for all gradings of a machine. Of what only root leases, nobody else is
/// to hold anything.
std::string folder(bool of_us) {
  struct stat facts {};
  if (of_us && ::geteuid() == 0) {
    (void)::mkdir(kOfRoot, 0700);
    if (::lstat(kOfRoot, &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == 0 &&
        (facts.st_mode & 0022) == 0 && ::access(kOfRoot, W_OK) == 0)
      return kOfRoot;
  }
  for (const char* name : kOfAll)
    if (::stat(name, &facts) == 0 && (facts.st_mode & 01002) == 01002 && ::access(name, W_OK | X_OK) == 0)
      return name;
  return {};
}

/// Whether this process's namespace knows all ids of the range.
bool are_mapped(const Users& users) {
  std::ifstream map("/proc/self/uid_map");
  unsigned long inside = 0, outside = 0, count = 0;
  while (map >> inside >> outside >> count)
    if (users.first >= inside && users.first + users.count <= inside + count) return true;
  return false;
}

std::vector<int> cores_of_process() {
  std::vector<int> cores;
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

}  // namespace

std::optional<Lease> Lease::take(const std::string& kind, unsigned first, unsigned count, unsigned begin,
                                 bool of_us) {
  const std::string where = folder(of_us);
  if (where.empty()) return std::nullopt;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned number = first + (begin + i) % count;
    UniqueFd file = open_lock(where + "/ladder-" + kind + "-" + std::to_string(number));
    if (!is_good(file, of_us)) continue;
    if (auto lock = FileLock::try_take(std::move(file))) return Lease(number, std::move(*lock));
  }
  return std::nullopt;
}

std::optional<Users> users_for_cells() {
  if (::geteuid() != 0) return std::nullopt;
  for (const Users& users : {kUsual, kOfSixteenBits})
    if (are_mapped(users)) return users;
  return std::nullopt;
}

unsigned user_of_cells() {
  static const Lease lease = [] {
    const Users users = users_for_cells().value();
    // Two containers may not see each other's locks: then they had better begin at different places.
    struct stat container {};
    const bool known = ::stat("/proc/self/ns/mnt", &container) == 0;
    const auto begin = static_cast<unsigned>(known ? container.st_ino % users.count : 0);
    std::optional<Lease> taken = Lease::take("user", users.first, users.count, begin, true);
    if (!taken)
      throw Failure(ExitCode::environment, "no user id is free for another sandbox on this machine",
                    "Its locks lie in " + folder(true) + " as ladder-user-*.");
    return std::move(*taken);
  }();
  return lease.number();
}

unsigned usable_cores() { return std::max<unsigned>(1, static_cast<unsigned>(cores_of_process().size())); }

void bind_to_cores(unsigned wanted) {
  static std::vector<Lease> held;
  const std::vector<int> cores = cores_of_process();
  if (cores.size() < 2) return;
  const auto lease_of = [](int core) {
    return Lease::take("core", static_cast<unsigned>(core), 1, 0, false);
  };
  for (int tries = 0; held.empty() && tries < kTriesForCore; ++tries) {
    if (tries > 0) ::usleep(kBetweenTriesForCore);
    for (const int core : cores) {
      if (held.size() >= wanted) break;
      if (std::optional<Lease> lease = lease_of(core)) held.push_back(std::move(*lease));
    }
  }
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const Lease& lease : held) CPU_SET(lease.number(), &set);
  if (!held.empty()) (void)::sched_setaffinity(0, sizeof set, &set);
}

}  // namespace ladder::cli::grade
