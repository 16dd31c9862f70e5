/// The process as a value: what a command knows of the world outside, so that a test can run one without a child process.
public struct ProcessContext {
  /// The words after the program's name.
  public let arguments: [String]
  /// The environment variables.
  public let environment: [String: String]
  /// Any other variable of the environment, for `${NAME}` in scenarios; nil when it is not set.
  public let variable: (String) -> String?
  /// The bytes of a file, nil when it cannot be read.
  public let readFile: (String) -> [UInt8]?
  /// The names of what lies in a folder; nil when there is no such folder.
  public let listFolder: (String) -> [String]?
  /// The descriptor of a standard input that is no terminal; nil when there is none.
  public let input: Int32?
  /// The descriptor of the terminal at which a person types and reads; nil when there is none.
  public let terminal: Int32?
  /// Signals are for this context: it is the whole process.
  public let ownsSignals: Bool
  /// Results go here: one call, one or more whole lines.
  public let writeOutput: (String) -> Void
  /// A person reads the errors, not a program.
  public let errorIsTerminal: Bool
  /// The columns of the terminal at which the errors are read, as it is now; nil when nobody knows.
  public let errorWidth: () -> Int?
  /// A person reads the results, not a program.
  public let outputIsTerminal: Bool
  /// Goes where the errors go, without an end of line: for a line that renews itself.
  public let writeRaw: (String) -> Void
  /// Errors and hints go here.
  public let writeError: @Sendable (String) -> Void

  /// A context of the caller's making.
  public init(
    arguments: [String], environment: [String: String] = [:], variable: @escaping (String) -> String? = { _ in nil },
    readFile: @escaping (String) -> [UInt8]? = { _ in nil },
    listFolder: @escaping (String) -> [String]? = { _ in nil },
    writeOutput: @escaping (String) -> Void, writeError: @escaping @Sendable (String) -> Void,
    errorIsTerminal: Bool = true, errorWidth: @escaping () -> Int? = { nil }, outputIsTerminal: Bool = false,
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
    self.writeRaw = writeRaw
  }
}
