import Base
import Glibc
import Network
import Store
import Threads

/// The process as a value: a command's access to the outside world, so that a test can run it without a child process.
package struct ProcessContext {
  /// The words after the program's name.
  package let arguments: [String]
  /// The environment variables.
  package let environment: [String: String]
  /// Returns any other environment variable, for `${NAME}` in scenarios; nil when it is not set.
  package let variable: (String) -> String?
  /// Returns the bytes of a file; nil when it cannot be read.
  package let readFile: (String) -> [UInt8]?
  /// Returns the names of a folder's entries; nil when there is no such folder.
  package let listFolder: (String) -> [String]?
  /// The descriptor of a standard input that is not a terminal; nil when there is none.
  package let input: Int32?
  /// The descriptor of the user's terminal; nil when there is none.
  package let terminal: Int32?
  /// Whether this context is the whole process and may handle signals.
  package let ownsSignals: Bool
  /// Writes results: one call, one or more whole lines.
  package let writeOutput: (String) -> Void
  /// Whether the error output is a terminal.
  package let errorIsTerminal: Bool
  /// Returns the current width of the terminal for errors; nil when unknown.
  package let errorWidth: () -> Int?
  /// Whether the output is a terminal.
  package let outputIsTerminal: Bool
  /// Returns the width of the terminal for results; nil when it is not a terminal.
  package let outputWidth: () -> Int?
  /// Writes to the error output without a newline, for a line that is overwritten.
  package let writeRaw: (String) -> Void
  /// Writes errors and hints.
  package let writeError: @Sendable (String) -> Void

  /// Creates a custom context.
  package init(
    arguments: [String], environment: [String: String] = [:], variable: @escaping (String) -> String? = { _ in nil },
    readFile: @escaping (String) -> [UInt8]? = { _ in nil },
    listFolder: @escaping (String) -> [String]? = { _ in nil },
    writeOutput: @escaping (String) -> Void, writeError: @escaping @Sendable (String) -> Void,
    errorIsTerminal: Bool = true, errorWidth: @escaping () -> Int? = { nil }, outputIsTerminal: Bool = false,
    outputWidth: @escaping () -> Int? = { nil },
    writeRaw: @escaping (String) -> Void = { _ in },
    input: Int32? = nil, terminal: Int32? = nil, ownsSignals: Bool = false
  ) {
    self.arguments = arguments
    self.environment = environment
    self.variable = variable
    self.readFile = readFile
    self.listFolder = listFolder
    self.writeOutput = writeOutput
    self.writeError = writeError
    self.errorIsTerminal = errorIsTerminal
    self.errorWidth = errorWidth
    self.input = input
    self.terminal = terminal
    self.ownsSignals = ownsSignals
    self.outputIsTerminal = outputIsTerminal
    self.outputWidth = outputWidth
    self.writeRaw = writeRaw
  }
}

extension ProcessContext {
  /// Whether results have colours: for people who have not turned them off (https://no-color.org), at a terminal that shows them.
  var outputIsColoured: Bool { outputIsTerminal && variable("NO_COLOR") ?? "" == "" && variable("TERM") != "dumb" }

  /// The text of a file; nil when it cannot be read.
  func readText(_ path: String) throws(UsageError) -> String? {
    guard let bytes = readFile(path) else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw UsageError("'\(path)' is not UTF-8") }
    return text
  }

  /// Returns the context of the real process.
  package static func live() -> ProcessContext {
    // Without this, a write beyond the file size limit (`ulimit -f`) ends the process instead of failing like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    // Nor does one into a pipe whose reader has gone (`| head`): the verdict and the files do not depend on who reads.
    signal(SIGPIPE, SIG_IGN)
    let hasInput = isOpen(STDIN_FILENO) && isatty(STDIN_FILENO) == 0
    occupyStandardDescriptors()
    return ProcessContext(
      arguments: Array(Swift.CommandLine.arguments.dropFirst()),
      environment: environmentVariables(),
      variable: { name in unsafe getenv(name).map { unsafe String(cString: $0) } },
      readFile: readFile,
      listFolder: { FolderSurvey.names(in: $0) },
      writeOutput: { StandardOutput.write($0 + "\n") },
      writeError: { Descriptor.write($0 + "\n", to: STDERR_FILENO) },
      errorIsTerminal: isatty(STDERR_FILENO) == 1, errorWidth: { terminalWidth(STDERR_FILENO) },
      outputIsTerminal: isatty(STDOUT_FILENO) == 1, outputWidth: { terminalWidth(STDOUT_FILENO) },
      writeRaw: { Descriptor.write($0, to: STDERR_FILENO) },
      input: hasInput ? STDIN_FILENO : nil,
      terminal: isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 ? STDIN_FILENO : nil, ownsSignals: true)
  }

  private static func isOpen(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF }

  /// Opens closed standard descriptors: otherwise the next file would get their number, and be read or written in their place.
  /// Writing to them fails as before.
  private static func occupyStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where !isOpen(descriptor) { _ = unsafe open("/dev/null", O_RDONLY) }
  }

  /// Returns only the variables of this program.
  private static func environmentVariables() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      let parts = unsafe String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, parts[0].hasPrefix(Flag.environmentPrefix) { variables[String(parts[0])] = String(parts[1]) }
      unsafe entry += 1
    }
    return variables
  }

  static func readFile(_ path: String) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe piece.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { return bytes }
      bytes += piece[..<count]
    }
  }
}

/// SIGINT, SIGTERM and SIGHUP as calls instead of the end of the process, for commands that finish something first.
enum EndingSignals {
  /// Calls `heard` on the first signal; a second one ends the process at once. A repetition of the signal within half a
  /// second is ignored, because some tools signal a process and then its group. Must be called once, from the main
  /// thread, before other threads start.
  static func listen(_ heard: @escaping @Sendable () -> Void) throws(NetworkError) {
    listen(to: try SignalWatcher.forEnding(), heard)
  }

  /// The same with a watcher that is there already; where it watches for SIGTSTP, too, the process is suspended by it.
  static func listen(to signals: SignalWatcher, _ heard: @escaping @Sendable () -> Void) {
    NamedThread.started("signals") {
      let first = next(of: signals)
      heard()
      let clock = SystemClock()
      let heardAt = clock.monotonicNow
      while next(of: signals) == first, clock.monotonicNow - heardAt < .milliseconds(500) {}
      Descriptor.write("ended at once by a second signal: what was being written is not complete\n", to: STDERR_FILENO)
      _exit(ExitCode.stoppedBySignal.rawValue)
    }.detach()
  }

  private static func next(of signals: SignalWatcher) -> Int32 {
    while true {
      let signal = signals.wait()
      guard signal == SIGTSTP else { return signal }
      raise(SIGSTOP)
    }
  }
}

/// The processor time of this process, over all of its threads.
enum ProcessorClock {
  /// In microseconds: POSIX defines CLOCKS_PER_SEC as a million.
  static func now() -> Nanoseconds { Nanoseconds(Int64(clock()) * 1_000) }
}

/// The machine of this process.
enum Machine {
  /// `build-7, Linux 6.1.0 x86_64, 8 processors`.
  static var words: String {
    var names = utsname()
    guard unsafe uname(&names) == 0 else { return "unknown" }
    let (system, release, machine) = (text(names.sysname), text(names.release), text(names.machine))
    let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    return "\(text(names.nodename)), \(system) \(release) \(machine), \(processors) processors"
  }

  private static func text<Characters>(_ characters: Characters) -> String {
    unsafe withUnsafeBytes(of: characters) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}

extension Log {
  /// Creates the log of a process: lines on the standard error, human-readable on a terminal and JSON otherwise.
  init(of process: ProcessContext) {
    let clock = SystemClock()
    let writeError = process.writeError
    let isForPeople = process.errorIsTerminal
    self.init(upTo: .info, now: { clock.wallNow }) { event in
      var line: [UInt8] = []
      if isForPeople { event.appendLine(to: &line) } else { event.appendJSONLine(to: &line) }
      // The context appends the newline itself.
      writeError(String(decoding: line.dropLast(), as: UTF8.self))
    }
  }
}
