import Base
import IngestServer

extension ProcessContext {
  /// Runs a server until a signal ends it. When it cannot start, people are told so as by any command, and programs in the log.
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
