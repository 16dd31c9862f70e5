import Glibc
import Store

extension ProcessContext {
  /// The real process.
  public static func live() -> ProcessContext {
    ProcessContext(
      arguments: Array(Swift.CommandLine.arguments.dropFirst()),
      environment: environmentVariables(),
      variable: { name in unsafe getenv(name).map { unsafe String(cString: $0) } },
      readFile: readFile,
      listFolder: { FolderSurvey.names(in: $0) },
      writeOutput: { Descriptor.write($0 + "\n", to: STDOUT_FILENO) },
      writeError: { Descriptor.write($0 + "\n", to: STDERR_FILENO) },
      errorIsTerminal: isatty(STDERR_FILENO) == 1, errorWidth: { terminalWidth(STDERR_FILENO) },
      outputIsTerminal: isatty(STDOUT_FILENO) == 1,
      writeRaw: { Descriptor.write($0, to: STDERR_FILENO) },
      input: isatty(STDIN_FILENO) == 1 ? nil : STDIN_FILENO,
      terminal: isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 ? STDIN_FILENO : nil, ownsSignals: true)
  }

  /// Only the variables that are ours to read.
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

  private static func readFile(_ path: String) -> [UInt8]? {
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
