// Which requests are admitted, by what a browser or an attacker can make them say.
#include "grader/serve/http/guard.h"

#include <catch2/catch_test_macros.hpp>

using namespace ladder::cli::serve;

namespace {

const std::string kSecret = "0123456789abcdef0123456789abcdef";
constexpr int kPort = 8123;

RequestFacts of_the_page(const std::string& path) {
  return {false, path, "127.0.0.1:8123", "", "same-origin", false};
}

int status(const RequestFacts& request) { return admit(request, kPort, kSecret).status; }

}  // namespace

TEST_CASE("the page's own requests are admitted, and their path is what follows the token") {
  const std::string path = "/" + kSecret + "/panel/lesson?x=1";
  const Admission admission = admit(of_the_page(path), kPort, kSecret);
  CHECK(admission.status == 200);
  CHECK(admission.path == "/panel/lesson");
  RequestFacts typed = of_the_page(path);
  typed.fetch_site = "none";
  CHECK(status(typed) == 200);
  typed.fetch_site = "";  // curl
  typed.host = "localhost:8123";
  CHECK(status(typed) == 200);
}

TEST_CASE("without the token, or with another one, there is nothing") {
  for (const std::string& path :
       {std::string("/"), std::string(""), std::string("/panel/lesson"), "/" + kSecret, "/" + kSecret + "0/",
        "/" + kSecret.substr(1) + "/", "//" + kSecret + "/", "/" + std::string(32, '0') + "/",
        "/x/../" + kSecret + "/"}) {
    CAPTURE(path);
    CHECK(status(of_the_page(path)) == 404);
  }
}

TEST_CASE("a name that leads to 127.0.0.1 is not the host that is served (DNS rebinding)") {
  const std::string path = "/" + kSecret + "/";
  for (const char* host : {"evil.example", "evil.example:8123", "127.0.0.1", "127.0.0.1:8124",
                           "127.0.0.1:8123.evil.example", "localhost", "[::1]:8123", "0.0.0.0:8123", ""}) {
    CAPTURE(host);
    RequestFacts request = of_the_page(path);
    request.host = host;
    CHECK(status(request) == 403);
  }
}

TEST_CASE("another site's page gets nothing, whatever kind of request it makes") {
  const std::string path = "/" + kSecret + "/";
  for (const char* origin : {"http://evil.example", "null", "http://127.0.0.1:8124", "https://127.0.0.1:8123",
                             "http://localhost:8123", "http://127.0.0.1:8123/"}) {
    CAPTURE(origin);
    RequestFacts request = of_the_page(path);
    request.origin = origin;
    CHECK(status(request) == 403);
  }
  for (const char* site : {"cross-site", "same-site"}) {
    CAPTURE(site);
    RequestFacts request = of_the_page(path);
    request.fetch_site = site;
    CHECK(status(request) == 403);
  }
}

TEST_CASE("what changes something has to come from a script of the page itself") {
  const std::string path = "/" + kSecret + "/open?line=1";
  RequestFacts post = of_the_page(path);
  post.post = true;
  CHECK(status(post) == 403);
  post.own_header = true;
  CHECK(status(post) == 403);  // no browser leaves Origin out of a POST
  post.origin = "http://127.0.0.1:8123";
  CHECK(status(post) == 200);
  post.own_header = false;  // as a form would send it
  CHECK(status(post) == 403);
}

TEST_CASE("each run has a token of its own, of 128 bits") {
  const std::string one = new_token(), other = new_token();
  CHECK(one.size() == 32);
  CHECK(one.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(one != other);
}
