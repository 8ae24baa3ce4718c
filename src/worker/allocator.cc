#include "worker/allocator.h"

#include <malloc.h>

namespace reckon::worker {

void KeepFreedMemory() {
#ifdef __GLIBC__  // others have no such settings
  // Blocks of their own mapping are unmapped when they are freed; 0: there are none.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_TOP_PAD, 64 << 20);  // what the heap grows by: few calls of the system
  // Other threads' heaps have 64 MiB at most; what is larger would need a mapping.
  mallopt(M_ARENA_MAX, 1);
#endif
}

}  // namespace reckon::worker
