// Four floats of a row as one access where rows allow it, as in rung 5 of lesson 05. Given.
#pragma once

/// Four neighbours of a row of `width` floats, from `col` on. A 16-byte access must start at a multiple
/// of 16 bytes, so rows of any other width go float by float; floats behind the row's end are 0.
template <bool kAligned>
__device__ float4 load(const float* row, unsigned col, unsigned width) {
  if constexpr (kAligned) {
    if (col < width) return *reinterpret_cast<const float4*>(row + col);
    return {};
  } else {
    return {col < width ? row[col] : 0.0f, col + 1 < width ? row[col + 1] : 0.0f,
            col + 2 < width ? row[col + 2] : 0.0f, col + 3 < width ? row[col + 3] : 0.0f};
  }
}

/// The way back; floats behind the row's end are dropped.
template <bool kAligned>
__device__ void store(float* row, unsigned col, unsigned width, float4 value) {
  if constexpr (kAligned) {
    if (col < width) *reinterpret_cast<float4*>(row + col) = value;
  } else {
    if (col < width) row[col] = value.x;
    if (col + 1 < width) row[col + 1] = value.y;
    if (col + 2 < width) row[col + 2] = value.z;
    if (col + 3 < width) row[col + 3] = value.w;
  }
}
