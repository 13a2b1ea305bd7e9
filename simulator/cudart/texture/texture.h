// Texture and surface objects.
#pragma once

#include "simulator/memory/texture.h"

namespace sim::cudart {

/// Every object that the program made. The caller holds the device's lock.
const memory::Textures& textures();

}  // namespace sim::cudart
