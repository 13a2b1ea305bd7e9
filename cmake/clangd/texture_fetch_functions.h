// For clangd alone: clang includes this header of older CUDA toolkits, and stops where there is none.
