// What Swift's Glibc module does not show, or shows only as a variadic or a macro.
// Every function returns what the system call returns; errno is read by the caller at once.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <termios.h>
#include <unistd.h>

/// epoll events with the 64-bit user word in reach: `struct epoll_event` is packed and holds a union, which Swift reads badly.
typedef struct {
  uint32_t events;
  uint64_t token;
} rr_epoll_event;

int rr_epoll_create(void);
int rr_epoll_add(int epoll, int fd, uint32_t events, uint64_t token);
int rr_epoll_modify(int epoll, int fd, uint32_t events, uint64_t token);
int rr_epoll_remove(int epoll, int fd);
/// Waits for at most `capacity` (<= 1024) events; a negative time-out waits for ever.
int rr_epoll_wait(int epoll, rr_epoll_event *events, int capacity, int timeout_ms);

/// A non-blocking, close-on-exec counter that wakes an event loop.
int rr_eventfd(void);
/// Waits until the descriptor can be read, for at most so long; a negative time waits for ever. Returns what ppoll does.
int rr_wait_readable(int fd, int64_t nanoseconds);
/// accept4 with SOCK_NONBLOCK | SOCK_CLOEXEC.
int rr_accept(int listener, struct sockaddr_storage *peer);
/// Blocks the given signals for this thread (and the threads it starts) and reports them through a descriptor.
int rr_signalfd(const int *signals, int count);
/// The number of the next signal, 0 when none is waiting, -1 on error.
int rr_signalfd_read(int fd);
/// The name that `top -H` and a debugger show, at most 15 bytes; returns an errno, 0 when it was set.
int rr_name_this_thread(const char *name);
/// Gives the terminal this mode again when the process dies of a fault; what a handler of signals may touch is here.
void rr_rescue_terminal(int fd, const struct termios *mode);
/// Faults do again what they do by themselves.
void rr_forget_terminal(void);
/// A non-blocking, close-on-exec stream socket.
int rr_stream_socket(int family);
/// A copy of this process in which the calling thread alone goes on: 0 there, its id here. It is in a process group of its own,
/// and the kernel ends it with this process.
pid_t rr_fork_worker(void);
/// How many processors this process may use, after its affinity and the quota of its control group; at least 1.
int rr_processors(void);
/// pipe2 with O_CLOEXEC.
int rr_pipe(int ends[2]);
