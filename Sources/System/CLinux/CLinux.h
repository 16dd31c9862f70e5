// Functions that Swift's Glibc module lacks, or has only as a variadic or a macro. Each returns the result of the system call;
// the caller reads errno at once.
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

/// epoll events with an accessible 64-bit user word: `struct epoll_event` is packed and contains a union, which Swift imports
/// badly.
typedef struct {
  uint32_t events;
  uint64_t token;
} rr_epoll_event;

int rr_epoll_create(void);
int rr_epoll_add(int epoll, int fd, uint32_t events, uint64_t token);
int rr_epoll_modify(int epoll, int fd, uint32_t events, uint64_t token);
int rr_epoll_remove(int epoll, int fd);
/// Waits for at most `capacity` (<= 1024) events; a negative timeout waits forever. A wait that a signal interrupts returns what
/// has arrived until then: a process that was stopped and continued finds its timers overdue, and has to see the input that came
/// meanwhile before them.
int rr_epoll_wait(int epoll, rr_epoll_event *events, int capacity, int timeout_ms);

/// A non-blocking, close-on-exec counter that wakes an event loop.
int rr_eventfd(void);
/// Waits until the descriptor is readable, for at most this long; a negative time waits forever. Returns the result of ppoll.
int rr_wait_readable(int fd, int64_t nanoseconds);
/// accept4 with SOCK_NONBLOCK | SOCK_CLOEXEC.
int rr_accept(int listener, struct sockaddr_storage *peer);
/// Blocks the given signals for this thread (and the threads it starts) and reports them through a descriptor.
int rr_signalfd(const int *signals, int count);
/// The number of the next signal, 0 when none is pending, -1 on error.
int rr_signalfd_read(int fd);
/// Sets the name shown by `top -H` and debuggers, at most 15 bytes; returns 0 or an errno.
int rr_name_this_thread(const char *name);
/// Restores this mode of the terminal when the process dies of a fault; the state for the signal handler is kept here.
void rr_rescue_terminal(int fd, const struct termios *mode);
/// Restores the default action of faults.
void rr_forget_terminal(void);
/// A non-blocking, close-on-exec stream socket.
int rr_stream_socket(int family);
/// Forks a process in which only the calling thread continues: returns 0 there, its id here. It is in a process group of its
/// own, and the kernel ends it with this process.
pid_t rr_fork_worker(void);
/// The number of processors that this process may use, by its affinity and the quota of its control group; at least 1.
int rr_processors(void);
/// pipe2 with O_CLOEXEC.
int rr_pipe(int ends[2]);
