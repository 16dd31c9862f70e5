import Glibc

/// What the operating system says about this process.
enum ProcessState {
  struct Failure: Error {
    let call: String
    let code: Int32
  }

  static func openDescriptors() throws -> Int {
    guard let folder = unsafe opendir("/proc/self/fd") else { throw Failure(call: "opendir", code: errno) }
    defer { unsafe closedir(folder) }
    var count = 0
    while unsafe readdir(folder) != nil { count += 1 }
    return count
  }

  /// The pages in memory (proc(5), statm, second number).
  static func residentBytes() throws -> Int {
    let descriptor = unsafe open("/proc/self/statm", O_RDONLY)
    guard descriptor >= 0 else { throw Failure(call: "open", code: errno) }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = unsafe read(descriptor, &buffer, buffer.count)
    let numbers = String(decoding: buffer[..<max(0, count)], as: UTF8.self).split(separator: " ")
    guard numbers.count > 1, let pages = Int(numbers[1]) else { throw Failure(call: "read", code: errno) }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }

  /// Lowers the limit to a little above what is open and fills it up; the numbers are the caller's to close.
  static func takeAllDescriptors() throws -> [Int32] {
    var limit = rlimit(rlim_cur: rlim_t(try openDescriptors() + 32), rlim_max: 0)
    var current = rlimit()
    unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &current)
    limit.rlim_max = current.rlim_max
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var taken: [Int32] = []
    while true {
      let descriptor = dup(2)
      guard descriptor >= 0 else { break }
      taken.append(descriptor)
    }
    guard errno == EMFILE, !taken.isEmpty else { throw Failure(call: "dup", code: errno) }
    return taken
  }

  /// Sends the signal to this very thread, which blocks it; other threads of a test process do not.
  static func raiseHere(_ signal: Int32) { pthread_kill(pthread_self(), signal) }
}
