#include "grader/serve/http/guard.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>

#include "grader/platform/failure.h"

namespace ladder::cli::serve {
namespace {

/// In a time that does not depend on where the two differ.
bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char differ = 0;
  for (std::size_t i = 0; i < a.size(); ++i) differ |= static_cast<unsigned char>(a[i] ^ b[i]);
  return differ == 0;
}

}  // namespace

Admission admit(const RequestFacts& request, int port, std::string_view token) {
  constexpr int kForbidden = 403, kNotFound = 404;
  const std::array<std::string, 2> hosts = {fmt::format("127.0.0.1:{}", port),
                                            fmt::format("localhost:{}", port)};
  std::string origin;  // of our own page
  for (const std::string& host : hosts)
    if (request.host == host) origin = "http://" + host;
  if (origin.empty()) return {kForbidden, {}};
  if (!request.origin.empty() && request.origin != origin) return {kForbidden, {}};
  // "none": the user typed the address or opened a bookmark.
  if (!request.fetch_site.empty() && request.fetch_site != "same-origin" && request.fetch_site != "none")
    return {kForbidden, {}};
  if (request.post && (request.origin.empty() || !request.own_header)) return {kForbidden, {}};
  const std::string_view path = request.path.substr(0, request.path.find('?'));
  if (path.size() < token.size() + 2 || path[0] != '/' || path[token.size() + 1] != '/' ||
      !same(path.substr(1, token.size()), token))
    return {kNotFound, {}};
  return {200, std::string(path.substr(token.size() + 1))};
}

std::string new_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Failure(ExitCode::environment, "the system gives no random numbers");
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

}  // namespace ladder::cli::serve
