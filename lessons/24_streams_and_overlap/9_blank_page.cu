// Blank page: a job that is worked on in place, on a device that has no room for it.
#include <algorithm>

#include "blank_page.h"
#include "spring.h"

// TODO(1): job_allocate(), job_run() and job_free(), whose contract is in blank_page.h. The job goes
//          through the room piece by piece; which pieces may be under way together, and what keeps them
//          apart?
