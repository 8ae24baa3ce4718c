// How this process keeps memory between the steps of training.
#pragma once

namespace reckon::worker {

// Freed memory stays with the process and serves the next step. As shipped, the C library gives
// large blocks back to the system at once, and takes them anew, page by page and cleared, in every
// step: up to a third of the CPU time of a step of 256 images. How much of it comes back depends on
// the sizes of blocks in a way that no model of times can tell. To be called before threads are
// started; a process is as large afterwards as it has ever been.
void KeepFreedMemory();

}  // namespace reckon::worker
