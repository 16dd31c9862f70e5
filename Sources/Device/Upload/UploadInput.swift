package import Contract
package import Vocabulary

/// What happens to an uploader.
package enum UploadInput: Sendable {
  /// `manual` is a sync that nobody waits for.
  case trigger(FlushTrigger)
  /// `sync()`. The number comes back in the effect `synced`.
  case sync(completion: UInt64)
  case answered(request: UInt64, RequestOutcome)
  /// Begins no flush by itself: that is a trigger.
  case connectivity(Connectivity)
  /// The configuration as it is now. Begins no flush either.
  case configuration(Configuration)
  /// Everything before the effect `proceed` has been done.
  case proceed
  case timersDue
  /// The number comes back in the effect `logUploaded`.
  case uploadLog(LogUpload, completion: UInt64)
}
