// Archives that others have made, taken apart in a cell that shows nothing else.
#pragma once

#include <filesystem>
#include <memory>

#include "grader/grade/collect/tree.h"
#include "grader/grade/engines/grading.h"

namespace ladder::cli::grade {

/// Whether it is called as a .zip, .tar, .tar.gz, .tgz, .tar.xz or .tar.bz2 is, in letters of either size.
bool is_archive(const std::filesystem::path& file);

/// A student's archive: CUDA sources and further archives are unpacked, the rest is listed.
/// @throws Failure (environment) where it is none, would unpack to too much or holds too many files, or where
///         the path of one of them leads out of it: nothing of such an archive is taken
std::unique_ptr<Tree> archive_tree(const Grading& grading, const std::filesystem::path& archive);

/// Unpacks a class's archive, as a learning platform makes it.
/// @param into  a folder; what it holds is removed
/// @return how many of its files could not be unpacked: names that are too long, broken data
/// @throws Failure (environment) as archive_tree does
std::size_t unpack_class(const Grading& grading, const std::filesystem::path& archive,
                         const std::filesystem::path& into);

}  // namespace ladder::cli::grade
