#include "grader/protocol/worker_command.h"

#include <catch2/catch_test_macros.hpp>

using namespace ladder;

TEST_CASE(
    "only whole words of a worker's command stand for the module, and folders may be called what they like") {
  const WorkerCommand command{
      {{"bwrap"}, {"--bind", "/out/{module}/{folder}", "/x"}, {"--ro-bind", "{folder}", "{folder}"}}};
  CHECK(command.words("/m/{module}/r.so") ==
        std::vector<std::string>{"bwrap", "--bind", "/out/{module}/{folder}", "/x", "--ro-bind",
                                 "/m/{module}", "/m/{module}"});
  CHECK(command.words("") == std::vector<std::string>{"bwrap", "--bind", "/out/{module}/{folder}", "/x"});
}
