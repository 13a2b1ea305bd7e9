#include <fmt/format.h>

#include "grader/harness/diagnose/evidence.h"

namespace ladder::diagnose {

Diagnosis diagnose(const Evidence& evidence) {
  return {fmt::format("{} of {} elements of '{}' are wrong", evidence.wrong.count, evidence.size(),
                      evidence.buffer.name),
          ""};
}

}  // namespace ladder::diagnose
