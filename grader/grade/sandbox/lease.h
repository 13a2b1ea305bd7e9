// What gradings on one machine must not share: each takes its own, under locks that all of them know.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "grader/platform/process/file_lock.h"

namespace ladder::cli::grade {

/// A number that nobody else on this machine has, for as long as this object lives: the kernel gives it back
/// when the process ends, however it does.
class Lease {
 public:
  /// Tries the numbers of a range, one after the other.
  /// @param kind    what the numbers are of: "user", "core"
  /// @param begin   where in the range to begin
  /// @param of_us   only locks that this user made count: others could hold theirs for ever
  /// @return nothing where all are taken, or there is no folder for locks
  static std::optional<Lease> take(const std::string& kind, unsigned first, unsigned count, unsigned begin,
                                   bool of_us);
  unsigned number() const { return number_; }

 private:
  Lease(unsigned number, FileLock lock) : number_(number), lock_(std::move(lock)) {}
  unsigned number_;
  FileLock lock_;
};

/// A range of user ids for cells.
struct Users {
  unsigned first = 0, count = 0;
};

/// Ids that no distribution gives to people, services or containers: between 65536, above which systemd and
/// Debian assign nothing, and 100000, where useradd begins the ranges of containers. Where only 65536 ids are
/// mapped, as in a rootless container, those from 60706 to 61183: systemd's list leaves them free, and of
/// Debian's no package has any of them.
/// @return nothing where this process may not become any of them: it is not root, or is one in a namespace
///         with hardly any ids
std::optional<Users> users_for_cells();

/// The user of this process's cells: leased at the first call and kept to the end.
/// @throws Failure (environment) where all are taken
unsigned user_of_cells();

/// How many cores this process may run on.
unsigned usable_cores();

/// Binds this process, and the cells that it will start, to cores that no other grading has, where that can
/// be: what one student's processes do then takes no time from another's. Waits for a core, and shares one
/// where none became free for long.
/// @param wanted  cores; fewer are taken where fewer are free
void bind_to_cores(unsigned wanted);

}  // namespace ladder::cli::grade
