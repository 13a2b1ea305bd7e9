// Programs whose device code is spread over several files (-rdc=true).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ladder::cli {

/// nvcc's relocatable objects wait for a device link, which would leave
/// machine code only. This writes, in its place, a source file that hands each
/// object's PTX to the simulator, which links by name when the program starts.
/// @param folder  where the file goes
/// @param words   the link's command line so far; objects and archives among them are looked into
/// @return the file, to be compiled in the same call
std::string write_relocatable_stub(const std::filesystem::path& folder,
                                   const std::vector<std::string>& words);

/// What to add to the compiler's messages where it took a variable of another file for one of this file's
/// own; empty where it did not.
std::string relocatable_hint(const std::string& messages);

}  // namespace ladder::cli
