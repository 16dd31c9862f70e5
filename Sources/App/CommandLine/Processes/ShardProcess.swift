import FleetSimulator
import Glibc
import JSON

/// A process of this program that simulates one shard, and what it has told so far.
final class ShardProcess {
  /// In a process that cannot be begun, or that ends without a result.
  struct Failure: Error, CustomStringConvertible {
    let description: String
    let code: ExitCode
  }

  let shard: Shard
  let id: pid_t
  private(set) var progress: RunProgress?
  private(set) var result: ShardResult?
  private var messages: Source
  private var complaints: Source
  private var hasEnded = false

  /// A pipe that the process writes to.
  private struct Source {
    var descriptor: Int32
    var unread: [UInt8] = []
    var isOpen: Bool { descriptor >= 0 }

    /// What there is now; closes at the end.
    mutating func take() {
      var piece = [UInt8](repeating: 0, count: 1 << 16)
      let count = unsafe Glibc.read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR || errno == EAGAIN { return }
      guard count > 0 else { return close() }
      unread += piece[..<count]
    }

    mutating func close() {
      if isOpen { Glibc.close(descriptor) }
      descriptor = -1
    }
  }

  private static let complaintsMax = 1 << 16

  init(_ shard: Shard, words: [String]) throws(Failure) {
    self.shard = shard
    guard let (told, tell) = ShardProcess.pipe(), let (heard, complain) = ShardProcess.pipe() else {
      throw Failure(description: "no pipe for a further process: \(ShardProcess.reason(errno))", code: .runtimeFailure)
    }
    (messages, complaints) = (Source(descriptor: told), Source(descriptor: heard))
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    // The output is for results of the whole run.
    unsafe posix_spawn_file_actions_adddup2(&actions, complain, STDOUT_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, complain, STDERR_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, tell, 3)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    // Ctrl-C on a terminal is for this process, which passes it on.
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
      close(tell)
      close(complain)
    }
    var process: pid_t = 0
    let environment = ShardProcess.environment + ["\(ShardPipe.variable)=3"]
    let code = unsafe withTextList(environment) { environment in
      unsafe withTextList(["rollingroad"] + words) { words in
        unsafe posix_spawn(&process, "/proc/self/exe", &actions, &attributes, words, environment)
      }
    }
    id = process
    guard code == 0 else {
      hasEnded = true
      throw Failure(
        description: "a further process cannot be begun: \(ShardProcess.reason(code))", code: .runtimeFailure)
    }
  }

  deinit {
    messages.close()
    complaints.close()
    guard !hasEnded else { return }
    kill(id, SIGKILL)
    _ = waitpid(id, nil, 0)
  }

  /// It is to end early, with what it has.
  static func interrupt(_ id: pid_t) { kill(id, SIGTERM) }

  /// Waits until one of them has told something; false when none will.
  static func wait(for processes: [ShardProcess]) throws(Failure) -> Bool {
    var descriptors: [pollfd] = []
    for process in processes {
      for source in [process.messages, process.complaints] where source.isOpen {
        descriptors.append(pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0))
      }
    }
    guard !descriptors.isEmpty else { return false }
    guard unsafe poll(&descriptors, nfds_t(descriptors.count), 100) > 0 else { return true }
    let ready = Set(descriptors.filter { $0.revents != 0 }.map(\.fd))
    for process in processes {
      if ready.contains(process.complaints.descriptor) { process.hear() }
      if ready.contains(process.messages.descriptor) { try process.read() }
    }
    return true
  }

  private func hear() {
    complaints.take()
    complaints.unread.removeFirst(max(0, complaints.unread.count - ShardProcess.complaintsMax))
  }

  private func read() throws(Failure) {
    messages.take()
    while let end = messages.unread.firstIndex(of: UInt8(ascii: "\n")) {
      let line = Array(messages.unread[..<end])
      messages.unread.removeFirst(end + 1)
      do {
        switch try ShardMessage(JSONValue(parsing: line.span)) {
        case .progress(let progress): self.progress = progress
        case .result(let result): self.result = result
        }
      } catch { throw Failure(description: "\(name) tells what cannot be read: \(error)", code: .runInvalid) }
    }
  }

  /// It has ended, and there is no result.
  var isGone: Bool { !messages.isOpen && result == nil }

  /// After its pipes have ended.
  func finish() throws(Failure) -> ShardResult {
    var status: Int32 = 0
    while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
    hasEnded = true
    if status & 0x7F != 0 {
      throw Failure(description: "\(name) was ended by signal \(status & 0x7F)\(lastWords)", code: .runInvalid)
    }
    if let result { return result }
    let code = (status >> 8) & 0xFF
    throw Failure(
      description: "\(name) ended with exit code \(code)\(lastWords)", code: ExitCode(rawValue: code) ?? .runInvalid)
  }

  private var name: String { "process \(shard.index + 1) of \(shard.count)" }

  private var lastWords: String {
    let text = String(decoding: complaints.unread, as: UTF8.self)
    return text.isEmpty ? "" : ":\n" + text
  }

  /// The end that is read, and the end that is written to; nil when there are too many open files.
  private static func pipe() -> (read: Int32, write: Int32)? {
    var ends: [Int32] = [0, 0]
    guard unsafe Glibc.pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func reason(_ code: Int32) -> String {
    unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
  }

  /// Without what the words say, or what is for all shards together.
  private static var environment: [String] {
    let replaced = ["OUT", "PROCESSES", "SHARD", "SEEDS"].map { Flag.environmentPrefix + $0 + "=" }
    var texts: [String] = []
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      let text = unsafe String(cString: text)
      if !replaced.contains(where: text.hasPrefix) { texts.append(text) }
      unsafe entry += 1
    }
    return texts
  }
}

/// As C has lists of texts: the last one is null.
private func withTextList<Result>(
  _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: texts.count + 1)
  for (index, text) in texts.enumerated() { unsafe list[index] = strdup(text) }
  unsafe list[texts.count] = nil
  defer {
    for index in texts.indices { unsafe free(list[index]) }
    unsafe list.deallocate()
  }
  return unsafe body(list)
}
