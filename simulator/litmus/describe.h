// An exploration in the words of its program.
#pragma once

#include "simulator/engine/launch.h"
#include "simulator/litmus/explore.h"
#include "simulator/memory/address_space.h"
#include "simulator/report/litmus_record.h"

namespace sim::litmus {

/// What a person calls an axiom: "causality".
const char* name_of(Axiom axiom);

/// The record of an exploration, without what the host program says of its outcomes.
LitmusRecord describe(const exec::LoadedModule::Program& kernel, const exec::Launch& what,
                      memory::AddressSpace& space, const Program& program, const Exploration& exploration);

}  // namespace sim::litmus
