import CLinux
import FleetSimulator
import Glibc
import JSON
import Shell
import Synchronization

/// A forked copy of this process that does a part of its work and reports line by line.
///
/// It is a fork, so the data read so far is in its memory already, shared until one side changes it. Only the forking
/// thread exists in the copy, and no other thread may hold a lock at that time; so workers start before any thread
/// except that of the signals.
final class WorkerProcess {
  /// A worker that cannot be started, or that ends before its work is done.
  struct Failure: Error, CustomStringConvertible {
    let description: String
    let code: ExitCode
  }

  let name: String
  private let id: pid_t
  private let group: WorkerGroup
  private var descriptor: Int32
  /// The write and read ends of the instructions: both stay open, so that an instruction to a worker that has ended has no effect
  /// instead of ending this process.
  private let (instructions, hearing): (Int32, Int32)
  private var unread: [UInt8] = []
  private var messages: [WorkerMessage] = []
  private var hasEnded = false

  /// `work` runs in the copy, which ends when it returns. It must not use a lock that the signal thread may hold at the
  /// fork, because nothing in the copy would release it: it needs its own `Interruption`.
  init(_ name: String, in group: WorkerGroup, _ work: (WorkerLine) -> Void) throws(Failure) {
    self.name = name
    self.group = group
    let (told, instructed) = (try WorkerProcess.pipe(), try WorkerProcess.pipe())
    let id = group.fork()
    if id == 0 {
      close(told.read)
      close(instructed.write)
      work(WorkerLine(descriptor: told.write, instructions: instructed.read))
      _exit(ExitCode.ok.rawValue)
    }
    let code = errno
    close(told.write)
    guard id > 0 else {
      close(told.read)
      close(instructed.read)
      close(instructed.write)
      throw WorkerProcess.failure("cannot start another process", code)
    }
    self.id = id
    (descriptor, instructions, hearing) = (told.read, instructed.write, instructed.read)
  }

  private static func pipe() throws(Failure) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard unsafe rr_pipe(&ends) == 0 else { throw failure("no pipe", errno) }
    return (ends[0], ends[1])
  }

  /// A worker that has ended receives nothing; its end is detected where its messages are read.
  func instruct(_ instruction: WorkerInstruction) { _ = WholeFile.put(instruction.bytes, into: instructions) }

  deinit {
    if isOpen { close(descriptor) }
    close(instructions)
    close(hearing)
    guard !hasEnded else { return }
    kill(id, SIGKILL)
    _ = end()
  }

  /// Whether more messages may come.
  var isOpen: Bool { descriptor >= 0 }

  /// Returns the messages since the last call.
  func takeMessages() -> [WorkerMessage] {
    defer { messages = [] }
    return messages
  }

  /// Waits up to a tenth of a second for a message of any of them.
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

  /// Reaps a worker that is no longer open; throws when it was killed, or failed.
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
    // Afterwards another process may have the same id.
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

/// Workers to be ended early with this process. Each gets one signal, because a second one ends it at once.
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

  /// Stops forwarding interruptions.
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

/// A message of a worker.
enum WorkerMessage {
  /// Output that the process would write if it did the work itself.
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

/// The connection of a worker to its parent process.
struct WorkerLine: Sendable {
  fileprivate let descriptor: Int32
  fileprivate let instructions: Int32

  /// Returns the next instruction; nil after the timeout.
  func nextInstruction(milliseconds: Int32) -> WorkerInstruction? {
    WorkerInstruction.next(from: instructions, milliseconds: milliseconds)
  }

  func send(_ message: WorkerMessage) {
    let isSent = WholeFile.put(message.json.serialized + [UInt8(ascii: "\n")], into: descriptor)
    // The parent process has ended, so nothing needs the rest.
    if !isSent { _exit(ExitCode.stoppedBySignal.rawValue) }
  }
}

extension ProcessContext {
  /// Returns the context of a worker, whose output goes to its parent process.
  func speaking(into line: WorkerLine) -> ProcessContext {
    ProcessContext(
      arguments: arguments, environment: environment, variable: variable, readFile: readFile, listFolder: listFolder,
      writeOutput: { line.send(.output($0)) }, writeError: { line.send(.error($0)) }, errorIsTerminal: false)
  }
}
