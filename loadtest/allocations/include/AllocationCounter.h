#pragma once

/// How many blocks the calling thread has asked the heap for since it started.
unsigned long allocation_count(void);
