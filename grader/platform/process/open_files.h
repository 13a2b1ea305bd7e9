// How many files may be open at a time.
#pragma once

#include <cstddef>

namespace ladder::cli {

inline constexpr std::size_t kOpenFiles =
    1024;  ///< wanted by this program and its children; a judge's arrays are files

/// Lets this process and its children have @p wanted files open, or as many as it may. @return how many
std::size_t allow_open_files(std::size_t wanted = kOpenFiles);

/// @throws Failure (environment) where fewer than @p fewest files may be open at a time, which @p what needs
void need_open_files(std::size_t fewest, const char* what);

}  // namespace ladder::cli
