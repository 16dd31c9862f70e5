/// The process as a value: what a command knows of the world outside, so that a test can run one without a child process.
public struct ProcessContext {
  /// The words after the program's name.
  public let arguments: [String]
  /// Results go here: one call, one or more whole lines.
  public let writeOutput: (String) -> Void
  /// Errors and hints go here.
  public let writeError: (String) -> Void

  /// A context of the caller's making.
  public init(arguments: [String], writeOutput: @escaping (String) -> Void, writeError: @escaping (String) -> Void) {
    self.arguments = arguments
    self.writeOutput = writeOutput
    self.writeError = writeError
  }
}
