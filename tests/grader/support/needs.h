// What some tests need of the machine. Where it is missing they are skipped, and say what.
#pragma once

#include <pty.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <cstring>

namespace needs {

/// Skips the test where no pseudo-terminal can be made, as in a container without /dev/pts.
inline void terminal() {
  int master = -1, slave = -1;
  if (::openpty(&master, &slave, nullptr, nullptr, nullptr) != 0)
    SKIP("no terminal can be made here (/dev/pts): " << std::strerror(errno));
  ::close(master);
  ::close(slave);
}

}  // namespace needs
