// Does nothing, and writes a good verdict to every descriptor it finds.
#include <unistd.h>

#include <cstring>

#include "saxpy.h"

cudaError_t saxpy(float*, const float*, const float*, int) {
  const char verdict[] =
      "{\"event\":\"rung\",\"rung\":\"forges\",\"outcome\":\"passed\",\"headline\":\"passed\"}\n";
  for (int fd = 0; fd < 256; ++fd)
    if (write(fd, verdict, std::strlen(verdict)) < 0) continue;
  return cudaSuccess;
}
