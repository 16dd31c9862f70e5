import CLinux
import FleetSimulator
import Glibc
import JSON
import Shell
import Synchronization

/// A copy of this process that does a part of its work, and tells of it line by line.
///
/// It is a fork: what was read and planned is in it already, in memory that both share until one of them changes it. In the
/// copy only the thread that has forked goes on. No other one may hold a lock then, so that workers begin before any thread
/// but that of the signals.
final class WorkerProcess {
  /// A worker that cannot be begun, or that ends without having done its work.
  struct Failure: Error, CustomStringConvertible {
    let description: String
    let code: ExitCode
  }

  let name: String
  private let id: pid_t
  private let group: WorkerGroup
  private var descriptor: Int32
  /// Where it is given orders, and where it hears them: both stay open, so that one for a worker that has ended goes nowhere
  /// instead of ending this process.
  private let (orders, hearing): (Int32, Int32)
  private var unread: [UInt8] = []
  private var messages: [WorkerMessage] = []
  private var hasEnded = false

  /// `work` runs in the copy, which ends when it returns. It uses no lock that the thread of the signals may hold meanwhile,
  /// which in the copy nothing would release: an `Interruption` is one of its own.
  init(_ name: String, in group: WorkerGroup, _ work: (WorkerLine) -> Void) throws(Failure) {
    self.name = name
    self.group = group
    let (told, ordered) = (try WorkerProcess.pipe(), try WorkerProcess.pipe())
    let id = group.fork()
    if id == 0 {
      close(told.read)
      close(ordered.write)
      work(WorkerLine(descriptor: told.write, orders: ordered.read))
      _exit(ExitCode.ok.rawValue)
    }
    let code = errno
    close(told.write)
    guard id > 0 else {
      close(told.read)
      close(ordered.read)
      close(ordered.write)
      throw WorkerProcess.failure("cannot start another process", code)
    }
    self.id = id
    (descriptor, orders, hearing) = (told.read, ordered.write, ordered.read)
  }

  private static func pipe() throws(Failure) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard unsafe rr_pipe(&ends) == 0 else { throw failure("no pipe", errno) }
    return (ends[0], ends[1])
  }

  /// One that has ended hears nothing, and is missed where its messages are read.
  func order(_ order: WorkerOrder) { _ = WholeFile.put(order.bytes, into: orders) }

  deinit {
    if isOpen { close(descriptor) }
    close(orders)
    close(hearing)
    guard !hasEnded else { return }
    kill(id, SIGKILL)
    _ = end()
  }

  /// Until it has told everything.
  var isOpen: Bool { descriptor >= 0 }

  /// What it has told since the last call.
  func takeMessages() -> [WorkerMessage] {
    defer { messages = [] }
    return messages
  }

  /// Waits until one of them has told something, for a tenth of a second.
  static func wait(for workers: [WorkerProcess]) throws(Failure) {
    let open = workers.filter(\.isOpen)
    var descriptors = open.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    guard unsafe poll(&descriptors, nfds_t(descriptors.count), 100) > 0 else { return }
    for (worker, look) in zip(open, descriptors) where look.revents != 0 { try worker.read() }
  }

  private func read() throws(Failure) {
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe Glibc.read(descriptor, &piece, piece.count)
    if count < 0, errno == EINTR { return }
    guard count > 0 else {
      close(descriptor)
      descriptor = -1
      return
    }
    var rest = piece[..<count]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      messages.append(try message(unread + rest[..<end]))
      unread = []
      rest = rest[(end + 1)...]
    }
    unread += rest
  }

  private func message(_ line: [UInt8]) throws(Failure) -> WorkerMessage {
    do {
      if let message = WorkerMessage(try JSONValue(parsing: line.span)) { return message }
    } catch {}
    throw Failure(description: "\(name) sent unreadable output", code: .runInvalid)
  }

  /// When it is not open any more; throws when it was ended, or says that something went wrong.
  func finish() throws(Failure) {
    let status = end()
    if status & 0x7F != 0 {
      throw Failure(description: "\(name) was ended by signal \(status & 0x7F)", code: .runInvalid)
    }
    let code = (status >> 8) & 0xFF
    guard code == 0 else {
      throw Failure(description: "\(name) ended with exit code \(code)", code: ExitCode(rawValue: code) ?? .runInvalid)
    }
  }

  private func end() -> Int32 {
    // Afterwards the number may be that of another process.
    group.remove(id)
    var status: Int32 = 0
    while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
    hasEnded = true
    return status
  }

  private static func failure(_ what: String, _ code: Int32) -> Failure {
    Failure(description: "\(what): \(Descriptor.reason(code))", code: .runtimeFailure)
  }
}

/// Workers that are to end early when this process is. Each is told once, since a second signal ends it at once.
final class WorkerGroup: Sendable {
  private struct State {
    var ids: Set<pid_t> = []
    var isInterrupted = false
  }

  private let state = Mutex(State())
  private let interruption: Interruption

  init(_ interruption: Interruption) {
    self.interruption = interruption
    interruption.onRequest { [self] in interrupt() }
    if interruption.isRequested { interrupt() }
  }

  /// Afterwards they hear of nothing more.
  func close() { interruption.onRequest {} }

  fileprivate func fork() -> pid_t {
    let id = rr_fork_worker()
    guard id > 0 else { return id }
    state.withLock { state in
      state.ids.insert(id)
      if state.isInterrupted { kill(id, SIGTERM) }
    }
    return id
  }

  fileprivate func remove(_ id: pid_t) { state.withLock { _ = $0.ids.remove(id) } }

  private func interrupt() {
    state.withLock { state in
      guard !state.isInterrupted else { return }
      state.isInterrupted = true
      for id in state.ids { kill(id, SIGTERM) }
    }
  }
}

/// What a worker tells.
enum WorkerMessage {
  /// What the process would write if it did the work itself.
  case output(String)
  case error(String)
  case value(JSONValue)

  fileprivate var json: JSONValue {
    switch self {
    case .output(let text): .object(["output": .string(text)])
    case .error(let text): .object(["error": .string(text)])
    case .value(let value): .object(["value": value])
    }
  }

  fileprivate init?(_ json: JSONValue) {
    if let value = json["value"] {
      self = .value(value)
    } else if case .string(let text)? = json["output"] {
      self = .output(text)
    } else if case .string(let text)? = json["error"] {
      self = .error(text)
    } else {
      return nil
    }
  }
}

/// Where a worker tells of its work.
struct WorkerLine: Sendable {
  fileprivate let descriptor: Int32
  fileprivate let orders: Int32

  /// Nil when none comes in that time.
  func nextOrder(milliseconds: Int32) -> WorkerOrder? {
    WorkerOrder.next(from: orders, milliseconds: milliseconds)
  }

  func send(_ message: WorkerMessage) {
    var writer = JSONWriter(capacity: 4_096)
    message.json.write(to: &writer)
    let isSent = WholeFile.put(writer.bytes + [UInt8(ascii: "\n")], into: descriptor)
    // The process that reads has ended, and nothing waits for the rest.
    if !isSent { _exit(ExitCode.stoppedBySignal.rawValue) }
  }
}

extension ProcessContext {
  /// That of a worker: whatever it says goes to the process that has begun it.
  func speaking(into line: WorkerLine) -> ProcessContext {
    ProcessContext(
      arguments: arguments, environment: environment, variable: variable, readFile: readFile, listFolder: listFolder,
      writeOutput: { line.send(.output($0)) }, writeError: { line.send(.error($0)) }, errorIsTerminal: false)
  }
}
