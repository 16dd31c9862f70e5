import Base
import Contract

/// A running `watchPosition`.
struct Watch: Sendable {
  let request: WatchRequest
  var lastDelivery: MonotonicInstant?

  init(_ request: WatchRequest) { self.request = request }

  func isDue(at now: MonotonicInstant) -> Bool {
    guard let lastDelivery else { return true }
    return now - lastDelivery >= Nanoseconds(seconds: request.intervalMilliseconds / 1_000)
  }
}
