#pragma once

/// How many blocks the calling thread has asked the heap for since it started.
unsigned long allocation_count(void);

/// How many bytes of the heap are in use by the whole process, the allocator's own head of each block included.
unsigned long allocated_bytes(void);
