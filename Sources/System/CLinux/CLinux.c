#define _GNU_SOURCE
#include "CLinux.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

enum { events_max = 1024 };

int rr_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static int control(int epoll, int operation, int fd, uint32_t events, uint64_t token) {
  struct epoll_event event;
  memset(&event, 0, sizeof event);
  event.events = events;
  event.data.u64 = token;
  return epoll_ctl(epoll, operation, fd, &event);
}

int rr_epoll_add(int epoll, int fd, uint32_t events, uint64_t token) {
  return control(epoll, EPOLL_CTL_ADD, fd, events, token);
}

int rr_epoll_modify(int epoll, int fd, uint32_t events, uint64_t token) {
  return control(epoll, EPOLL_CTL_MOD, fd, events, token);
}

int rr_epoll_remove(int epoll, int fd) { return control(epoll, EPOLL_CTL_DEL, fd, 0, 0); }

int rr_epoll_wait(int epoll, rr_epoll_event *events, int capacity, int timeout_ms) {
  struct epoll_event ready[events_max];
  int most = capacity < events_max ? capacity : events_max;
  int count = epoll_wait(epoll, ready, most, timeout_ms);
  while (count < 0 && errno == EINTR) count = epoll_wait(epoll, ready, most, 0);
  for (int i = 0; i < count; i++) {
    events[i].events = ready[i].events;
    events[i].token = ready[i].data.u64;
  }
  return count;
}

int rr_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int rr_wait_readable(int fd, int64_t nanoseconds) {
  struct pollfd wanted = {.fd = fd, .events = POLLIN};
  struct timespec timeout = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  return ppoll(&wanted, 1, nanoseconds < 0 ? NULL : &timeout, NULL);
}

int rr_accept(int listener, struct sockaddr_storage *peer) {
  socklen_t length = sizeof *peer;
  return accept4(listener, (struct sockaddr *)peer, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int rr_signalfd(const int *signals, int count) {
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < count; i++) sigaddset(&set, signals[i]);
  int error = pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (error != 0) {
    errno = error;
    return -1;
  }
  return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int rr_signalfd_read(int fd) {
  struct signalfd_siginfo info;
  ssize_t length = read(fd, &info, sizeof info);
  if (length == (ssize_t)sizeof info) return (int)info.ssi_signo;
  return length < 0 && errno != EAGAIN ? -1 : 0;
}

static volatile sig_atomic_t rescued_terminal = -1;
static struct termios rescued_mode;
static const int faults[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE};

// tcsetattr, signal and raise are among the few functions that a signal handler may call (signal-safety(7)).
static void rescue_terminal(int fault) {
  if (rescued_terminal >= 0) tcsetattr(rescued_terminal, TCSANOW, &rescued_mode);
  signal(fault, SIG_DFL);
  raise(fault);
}

void rr_rescue_terminal(int fd, const struct termios *mode) {
  rescued_mode = *mode;
  rescued_terminal = fd;
  for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++) signal(faults[i], rescue_terminal);
}

void rr_forget_terminal(void) {
  rescued_terminal = -1;
  for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++) signal(faults[i], SIG_DFL);
}

int rr_name_this_thread(const char *name) { return pthread_setname_np(pthread_self(), name); }

int rr_stream_socket(int family) { return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

pid_t rr_fork_worker(void) {
  pid_t parent = getpid();
  pid_t child = fork();
  if (child != 0) return child;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have exited before.
  if (getppid() != parent) _exit(0);
  return 0;
}

/// The whole processors in a control group's quota; 0 when it has none. Version 2 only, which Docker and Kubernetes use today.
static int quota(void) {
  FILE *file = fopen("/sys/fs/cgroup/cpu.max", "re");
  if (!file) return 0;
  long long allowed = 0, period = 0;
  int read = fscanf(file, "%lld %lld", &allowed, &period);
  fclose(file);
  if (read != 2 || allowed <= 0 || period <= 0) return 0;
  long long whole = (allowed + period - 1) / period;
  return whole < 1 << 20 ? (int)whole : 0;
}

int rr_processors(void) {
  cpu_set_t set;
  int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
  int most = quota();
  if (most > 0 && most < count) count = most;
  return count > 0 ? count : 1;
}

int rr_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }
