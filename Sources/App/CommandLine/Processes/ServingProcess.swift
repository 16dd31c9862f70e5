import Base
import IngestServer

extension ProcessContext {
  /// Runs a server until a signal ends it. A failure to start is an error message for users, and a log entry for programs.
  func serve(
    as command: String, _ log: Log, failure: StaticString, _ run: () throws(ServerError) -> Void
  ) -> ExitCode {
    do throws(ServerError) {
      try run()
      log.info("stopped")
      return .ok
    } catch {
      if errorIsTerminal {
        writeError("rollingroad \(command): \(error.description)")
      } else {
        log.error(failure, ["reason": .string(error.description)])
      }
      return error.code == .cannotBind ? .cannotBind : .runtimeFailure
    }
  }
}
