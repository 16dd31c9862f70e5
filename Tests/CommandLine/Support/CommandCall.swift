import CommandLine
import Synchronization

/// What a call of the program came to.
struct CommandCall {
  let output: String
  let error: String
  let code: ExitCode

  /// Calls the program in this process. What it reads lies in `files`, or nowhere.
  init(
    _ words: [String], environment: [String: String] = [:], variables: [String: String] = [:],
    files: [String: String] = [:], orElse readFile: @escaping (String) -> [UInt8]? = { _ in nil }, input: Int32? = nil
  ) {
    var output = ""
    let error = Mutex("")
    let process = ProcessContext(
      arguments: words, environment: environment, variable: { variables[$0] },
      readFile: { files[$0].map { Array($0.utf8) } ?? readFile($0) },
      writeOutput: { output += $0 + "\n" }, writeError: { text in error.withLock { $0 += text + "\n" } },
      errorIsTerminal: false, input: input)
    code = CommandTable.run(process)
    self.output = output
    self.error = error.withLock { $0 }
  }
}
