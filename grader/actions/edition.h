// Editions of the course: made for handing out, and brought up to date where they were unpacked.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/course/edition.h"
#include "grader/run/context.h"

namespace ladder::cli {

struct EditionRequest {
  std::string name;                  ///< "student" is the only one
  std::filesystem::path to;          ///< a folder, or an archive that tar knows by its ending
  std::vector<std::string> lessons;  ///< as a user names them; empty: all
};

/// Makes an edition of this checkout: lessons with fresh skeletons, docs and tools, without solutions, tests
/// and hidden regions. A folder that has an edition already becomes the new one; what else is in it stays.
/// @throws Failure (usage, environment), and then nothing was written
ExitCode make_edition(Context& context, const EditionRequest& request);

/// Brings a newer edition into the folder of an older one. Rungs that were edited stay, other files that were
/// edited are kept in .ladder/former.
/// @param from  a folder or an archive that make_edition() wrote @throws Failure (usage, environment)
ExitCode update_edition(Context& context, const std::filesystem::path& from);

/// Makes the files of @p folder, which is an edition or empty, those of the edition in @p from.
/// @param is_kept  whether a file of this path that differs from what its edition brought is to stay as it is
struct Replaced {
  int added = 0, changed = 0, removed = 0;
  std::vector<std::string> kept;  ///< files that stayed, though their edition has them otherwise now
  std::vector<std::filesystem::path> put_aside;  ///< edited files, where they are now
};
Replaced replace_edition(const std::filesystem::path& folder, const std::filesystem::path& from,
                         bool keep_rungs);

}  // namespace ladder::cli
