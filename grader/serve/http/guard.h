// Which requests the page's server answers: those of its own page, in a browser or a program that was told
// the token.
#pragma once

#include <string>
#include <string_view>

namespace ladder::cli::serve {

/// What of a request decides whether it is answered. Headers that are absent are empty.
struct RequestFacts {
  bool post = false;
  std::string_view path;        ///< as it was sent: "/TOKEN/panel/lesson"
  std::string_view host;        ///< Host
  std::string_view origin;      ///< Origin
  std::string_view fetch_site;  ///< Sec-Fetch-Site
  bool own_header = false;      ///< X-Ladder is there, which no form and no link can send
};

/// The answer to a request, or what refuses it.
struct Admission {
  int status = 200;  ///< 200, or 403 or 404
  std::string path;  ///< behind the token: "/panel/lesson"
};

/// A page of another site can make a browser send requests to 127.0.0.1, and a name of that site can be made
/// to lead there (DNS rebinding). So Host has to be the address itself, Origin and Sec-Fetch-Site, where a
/// browser sends them, have to say that the page is our own, a POST needs Origin and a header that only a
/// script of the same origin can set, and every path begins with the token.
/// @param port   the server's
/// @param token  of this run
Admission admit(const RequestFacts& request, int port, std::string_view token);

/// 32 hexadecimal digits by the system's generator. @throws Failure (environment)
std::string new_token();

}  // namespace ladder::cli::serve
