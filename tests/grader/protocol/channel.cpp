#include "grader/protocol/channel.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <thread>

#include "grader/lesson/shared_bytes.h"

using namespace ladder;
using nlohmann::json;

namespace {

struct Pair {
  int fds[2];
  Pair() { REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0); }
};

}  // namespace

TEST_CASE("messages arrive whole and in order, large ones too") {
  const Pair pair;
  Channel a{UniqueFd(pair.fds[0])};
  Channel b{UniqueFd(pair.fds[1])};
  const std::string large(1'000'000, 'x');
  std::thread sender([&] {
    CHECK(a.send({{"n", 1}}));
    CHECK(a.send({{"text", large}}));
  });
  CHECK(b.receive()->at("n") == 1);
  CHECK(b.receive()->at("text") == large);
  sender.join();
}

TEST_CASE(
    "texts of a message are cut between characters, wherever in it they stand; a nest of lists is refused") {
  json message = {
      {"exception", std::string(9000, 'x')},
      {"findings", {{{"message", "\u00e9" + std::string(4000, 'y') + std::string(5000, '\x80')}}}},
      {"short", "as it was"},
      {std::string(5000, 'k'), 1},
      {"samples", std::vector<double>(5000, 1.0)}};
  cut_texts(message);
  CHECK(message["exception"].get<std::string>().size() == kMostText);
  CHECK(message["exception"].get<std::string>().ends_with("x ... (cut)"));
  CHECK(message["findings"][0]["message"].get<std::string>().ends_with("y ... (cut)"));
  CHECK(message["short"] == "as it was");
  CHECK(message["samples"].size() == 5000);
  CHECK(message.size() == 4);
  json nest = 1;
  for (int i = 0; i < 40; ++i) nest = json::array({nest});
  CHECK_THROWS_AS(cut_texts(nest), BadMessage);
}

TEST_CASE("a descriptor sent along is the same memory, and cannot be written when sealed") {
  const Pair pair;
  Channel a{UniqueFd(pair.fds[0])};
  Channel b{UniqueFd(pair.fds[1])};
  SharedBytes mine(100);
  mine.data()[99] = std::byte{42};
  mine.seal_against_writing();
  const int fds[] = {mine.fd()};
  REQUIRE(a.send({{"do", "look"}}, fds));
  std::vector<UniqueFd> came;
  REQUIRE(b.receive(&came).has_value());
  REQUIRE(came.size() == 1);
  CHECK(ftruncate(came[0].get(), 0) != 0);
  const int number = came[0].get();
  const SharedBytes theirs(std::move(came[0]), 100, false);
  CHECK(theirs.data()[99] == std::byte{42});
  CHECK_THROWS(SharedBytes(UniqueFd(fcntl(number, F_DUPFD_CLOEXEC, 10)), 100, true));
  mine.data()[0] = std::byte{7};  // its maker still can
  CHECK(theirs.data()[0] == std::byte{7});
}

TEST_CASE("the other side's end is noticed") {
  const Pair pair;
  Channel a{UniqueFd(pair.fds[0])};
  { Channel b{UniqueFd(pair.fds[1])}; }
  CHECK_FALSE(a.receive().has_value());
  CHECK_FALSE(a.pump());
  CHECK_FALSE(a.send({{"anyone", "there"}}));
}

TEST_CASE("what is no message is refused") {
  const Pair pair;
  Channel a{UniqueFd(pair.fds[0])};
  SECTION("an absurd length") { REQUIRE(write(pair.fds[1], "{\"event\":\"rung\"}", 16) == 16); }
  SECTION("no JSON") {
    const char bytes[] = {3, 0, 0, 0, 'a', 'b', 'c'};
    REQUIRE(write(pair.fds[1], bytes, sizeof(bytes)) == sizeof(bytes));
  }
  SECTION("JSON that is no object") {
    const char bytes[] = {1, 0, 0, 0, '5'};
    REQUIRE(write(pair.fds[1], bytes, sizeof(bytes)) == sizeof(bytes));
  }
  REQUIRE(a.pump());
  CHECK_THROWS_AS(a.next(), BadMessage);
  close(pair.fds[1]);
}

TEST_CASE("half a message is waited for") {
  const Pair pair;
  Channel a{UniqueFd(pair.fds[0])};
  const char bytes[] = {2, 0, 0, 0, '{', '}'};
  REQUIRE(write(pair.fds[1], bytes, 5) == 5);
  REQUIRE(a.pump());
  CHECK_FALSE(a.next().has_value());
  REQUIRE(write(pair.fds[1], bytes + 5, 1) == 1);
  REQUIRE(a.pump());
  CHECK(a.next().has_value());
  close(pair.fds[1]);
}

TEST_CASE("bytes that are no UTF-8 do not break a message") {
  const Pair pair;
  Channel a{UniqueFd(pair.fds[0])};
  Channel b{UniqueFd(pair.fds[1])};
  CHECK(a.send({{"what", "caf\xe9"}}));
  CHECK(b.receive().has_value());
}
