import Vocabulary

extension Device {
  /// Asks the device and waits for its answer. A cancelled task gets 499 at once, unless the answer was faster: whoever
  /// takes the continuation out of the list is the one to resume it.
  func answer<Answer: Sendable>(
    ask: @Sendable (inout DeviceCore, CheckedContinuation<Answer, any Error>, Moment) -> Void,
    cancel: @escaping @Sendable (inout DeviceCore) -> CheckedContinuation<Answer, any Error>?
  ) async throws -> Answer {
    try Self.checkCancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isAsked: Void? = perform { core, now in ask(&core, continuation, now) }
        if isAsked == nil {
          continuation.resume(throwing: LocationError.cancelled)
        } else if Task.isCancelled {
          // The handler may have run before there was anything to take out.
          giveUp(cancel)
        }
      }
    } onCancel: {
      giveUp(cancel)
    }
  }

  private func giveUp<Answer: Sendable>(
    _ cancel: @Sendable (inout DeviceCore) -> CheckedContinuation<Answer, any Error>?
  ) {
    let continuation = perform { core, _ in cancel(&core) }
    (continuation ?? nil)?.resume(throwing: LocationError.cancelled)
  }

  private static func checkCancellation() throws(LocationError) {
    if Task.isCancelled { throw .cancelled }
  }
}
