// The report of an ordinary program: findings and launches, written to a file as they happen.
#pragma once

#include "simulator/cudart/device/device.h"

namespace sim::cudart {

/// Whether this process writes a report: the environment names a file in LADDER_SIM_REPORT.
bool writes_report();

/// Appends what the device has to report, one JSON object a line, and forgets it: {"finding": {…}},
/// {"kernel": {…}} or {"looked_at": {"launches": N, "whole": N}}, how many launches there were since the last
/// such line and how many of them were looked at to their end. No finding is kept back, so the file is
/// complete however the program ends. Launches are left out unless LADDER_SIM_REPORT_KERNELS is set; what
/// their lines cost is in the first of each kernel and shape. Call with the device's lock held.
void write_report(Device& device);

}  // namespace sim::cudart
