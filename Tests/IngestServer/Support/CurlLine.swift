import Glibc

/// Curl as one types it into a shell; the line may go on behind a pipe.
enum CurlLine {
  struct Failure: Error {
    let command: String
    let status: Int32
  }

  /// What curl writes to its standard output. An answer that it finds broken or refused is an error.
  static func run(_ arguments: String) throws -> String {
    let command = "curl --silent --show-error --max-time 20 \(arguments)"
    guard let pipe = unsafe popen(command, "r") else { throw Failure(command: command, status: errno) }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe fread(&buffer, 1, buffer.count, pipe)
      if count == 0 { break }
      output += buffer[..<count]
    }
    let status = unsafe pclose(pipe)
    guard status == 0 else { throw Failure(command: command, status: status) }
    return String(decoding: output, as: UTF8.self)
  }
}
