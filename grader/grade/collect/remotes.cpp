#include "grader/grade/collect/remotes.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

namespace ladder::cli::grade {
namespace fs = std::filesystem;
namespace {

/// A remote taken apart: SCHEME USER @ HOST REST, where the scheme has its "://" and may be empty.
struct Address {
  std::string scheme, user, host_and_path, query;
};

/// Where the @ before the host stands, be it written as %40; npos where nobody is named.
std::size_t end_of_user(std::string_view text) {
  const std::string_view authority = text.substr(0, text.find_first_of("/?#"));
  std::size_t at = authority.rfind('@');
  if (const std::size_t coded = authority.rfind("%40"); at == std::string_view::npos) at = coded;
  if (at != std::string_view::npos) return at;
  // A password with a slash in it: what follows a host's colon is a port, or else this is no host.
  const std::size_t colon = authority.find(':');
  const bool port = colon == std::string_view::npos ||
                    authority.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
  return port ? std::string_view::npos : text.rfind('@');
}

Address parsed(const std::string& text) {
  Address remote;
  std::string_view rest = text;
  if (const std::size_t scheme = rest.find("://"); scheme != std::string_view::npos) {
    remote.scheme = rest.substr(0, scheme + 3);
    rest.remove_prefix(scheme + 3);
    if (const std::size_t query = rest.find_first_of("?#"); query != std::string_view::npos) {
      const std::size_t user = end_of_user(rest);  // a password may have a question mark
      const std::size_t from =
          user != std::string_view::npos && user > query ? rest.find_first_of("?#", user) : query;
      if (from != std::string_view::npos) remote.query = rest.substr(from), rest = rest.substr(0, from);
    }
    if (const std::size_t at = end_of_user(rest); at != std::string_view::npos) {
      remote.user = rest.substr(0, at);
      rest.remove_prefix(at + (rest[at] == '@' ? 1 : 3));
    }
  } else if (const std::size_t at = rest.find('@'), colon = rest.rfind(':');  // git@host:path
             at != std::string_view::npos && colon != std::string_view::npos && colon > at &&
             rest.find('/') > at) {
    remote.user = rest.substr(0, at);
    rest.remove_prefix(at + 1);
  }
  remote.host_and_path = rest;
  return remote;
}

std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool coded = text[i] == '%' && i + 2 < text.size() &&
                       std::isxdigit(static_cast<unsigned char>(text[i + 1])) &&
                       std::isxdigit(static_cast<unsigned char>(text[i + 2]));
    plain += coded ? static_cast<char>(std::strtol(std::string(text.substr(i + 1, 2)).c_str(), nullptr, 16))
                   : text[i];
    if (coded) i += 2;
  }
  return plain;
}

/// Names that hosts give to the user or the password beside a token.
bool is_public(const std::string& word) {
  static constexpr const char* kNames[] = {"git", "oauth2", "x-oauth-basic", "x-access-token",
                                           "x-token-auth"};
  return word.empty() ||
         std::any_of(std::begin(kNames), std::end(kNames), [&](const char* name) { return word == name; });
}

/// The parts of a remote that may be secret, as they are and decoded, the longest first.
std::vector<std::string> secrets_of(const Address& remote) {
  std::vector<std::string> secrets = {remote.user, remote.query};
  for (const auto& [text, between] : {std::pair{remote.user, ":"}, {remote.query, "?&#=;"}}) {
    for (const std::string& whole : {text, decoded(text)}) {
      secrets.push_back(whole);
      for (std::size_t begin = 0, end = 0; begin <= whole.size(); begin = end + 1) {
        end = std::min(whole.find_first_of(between, begin), whole.size());
        secrets.push_back(whole.substr(begin, end - begin));
        secrets.push_back(decoded(secrets.back()));
      }
    }
  }
  std::erase_if(secrets, is_public);
  std::sort(secrets.begin(), secrets.end(),
            [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  return secrets;
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

/// A repository of this machine whose objects or settings are another's would hand in what is not the
/// student's.
std::string why_not_local(const fs::path& path) {
  std::error_code error;
  for (const char* below : {"", ".git"}) {
    const fs::file_status status = fs::symlink_status(path / below, error);
    if (*below != '\0' && (fs::is_regular_file(status) || fs::is_symlink(status)))
      return "its .git leads to another folder";
    for (const char* list : {"objects/info/alternates", "commondir"})
      if (fs::exists(fs::symlink_status(path / below / list, error)))
        return "it borrows from another repository (" + std::string(list) + ")";
  }
  return {};
}

}  // namespace

std::string why_not_fetched(const std::string& remote) {
  const Address parts = parsed(remote);
  if (remote.starts_with('-')) return "a remote does not begin with a dash";
  if (parts.scheme == "https://" || parts.scheme == "ssh://") return {};
  if (parts.scheme == "file://") return why_not_local(decoded(parts.host_and_path));
  const std::size_t colon = remote.find(':');
  const bool far =
      colon != std::string::npos && remote.find('/') > colon;  // as git tells HOST:PATH from a path
  if (parts.scheme.empty() && !far) return why_not_local(remote);
  if (parts.scheme.empty() && remote.find("::") == std::string::npos) return {};
  return "only https, ssh and paths are fetched";
}

std::string without_secrets(const std::string& remote) {
  const Address parts = parsed(remote);
  const std::string user = parts.user.substr(0, parts.user.find(':'));
  return parts.scheme + (user == "git" ? "git@" : "") + parts.host_and_path;
}

std::string scrubbed(std::string words, const std::string& remote) {
  replace_all(words, remote, without_secrets(remote));
  for (const std::string& secret : secrets_of(parsed(remote))) replace_all(words, secret, "***");
  return words;
}

}  // namespace ladder::cli::grade
