import Base

/// Time that the app asked for to run on in the background.
struct BackgroundTask: Sendable {
  let id: Int
  let deadline: MonotonicInstant
}
