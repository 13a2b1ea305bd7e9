// Git remotes: which of them are fetched, and what of them nobody may read.
#pragma once

#include <string>

namespace ladder::cli::grade {

/// Why a remote is not fetched: it is none of https://, ssh://, HOST:PATH, file:// and a path; or it is a
/// path to a repository that leads elsewhere (a .git that is a file or a link, objects of another
/// repository). Empty where nothing speaks against it.
std::string why_not_fetched(const std::string& remote);

/// A remote without what may be secret: of what stands before the host only the user `git` stays, a query and
/// a fragment go.
std::string without_secrets(const std::string& remote);

/// A program's words about a remote, with no part of it that may be secret, as it is or percent-encoded.
std::string scrubbed(std::string words, const std::string& remote);

}  // namespace ladder::cli::grade
