import Base
import Contract
import Engine
public import FoundationEssentials
import Host
import JSON
import Vocabulary

extension BGGeo {
  /// Takes one position of the requested accuracy. Works while tracking is off too; before `ready` it waits. A known
  /// position is used only within `maximumAge`; otherwise a new one is requested.
  ///
  /// - Parameters:
  ///   - timeout: Seconds. After it the best sample is returned if `allowStale`, or the last known position if there is
  ///     none; otherwise 408 is thrown.
  ///   - desiredAccuracy: Metres; a sample as good as this ends the search.
  ///   - maximumAge: Milliseconds; the last position is used when it is no older. 0: only a new one.
  ///   - samples: The number of positions to compare, unless one is good enough earlier.
  ///   - persist: Whether the location is stored and uploaded, whatever the persist mode.
  ///   - label: The name of the request in the log.
  ///   - extras: Added to this record; they override the configured ones.
  /// - Throws: `LocationError`: 1 without permission, 400 for invalid numbers or extras, 408, 499 when the task is
  ///   cancelled or the instance closed.
  public func getCurrentPosition(
    timeout: TimeInterval = 10, desiredAccuracy: CLLocationAccuracy = 5, maximumAge: Int = 0, samples: Int = 3,
    allowStale: Bool = true, persist: Bool = true, label: String? = "getCurrentPosition",
    extras: [String: Any]? = nil
  ) async throws -> LocationEvent {
    var request = PositionRequest(id: nil)
    try request.take(timeout, desiredAccuracy, maximumAge, samples, extras)
    request.allowStale = allowStale
    request.persist = persist
    request.label = label ?? request.label
    return try await answer(request) { .currentPosition($0) }
  }

  /// Sets the odometer and takes a position, whose record has the new value. The odometer counts from the new value even
  /// when no position is available. Parameters and errors are those of `getCurrentPosition`.
  @discardableResult
  public func setOdometer(
    _ value: CLLocationDistance, timeout: TimeInterval = 10,
    desiredAccuracy: CLLocationAccuracy = kCLLocationAccuracyBest, maximumAge: Int = 5000, samples: Int = 3,
    persist: Bool = true, extras: [String: Any]? = nil
  ) async throws -> LocationEvent {
    guard value.isFinite else { throw LocationError.badRequest("the odometer must be a number") }
    var request = PositionRequest.odometer(id: nil)
    // "Best" is not a distance in metres: use the default accuracy.
    let metres = desiredAccuracy > 0 ? desiredAccuracy : request.desiredAccuracyMetres
    try request.take(timeout, metres, maximumAge, samples, extras)
    request.persist = persist
    return try await answer(request) { .setOdometer(metres: value, $0) }
  }

  /// Calls `setOdometer` with 0.
  @discardableResult
  public func resetOdometer(
    timeout: TimeInterval = 10, desiredAccuracy: CLLocationAccuracy = kCLLocationAccuracyBest, maximumAge: Int = 5000,
    samples: Int = 3, persist: Bool = true, extras: [String: Any]? = nil
  ) async throws -> LocationEvent {
    try await setOdometer(
      0, timeout: timeout, desiredAccuracy: desiredAccuracy, maximumAge: maximumAge, samples: samples,
      persist: persist, extras: extras)
  }

  /// Metres travelled since the odometer was set.
  public var odometer: CLLocationDistance { state.odometer }

  /// Delivers positions, at most one each `interval` milliseconds, until `stopWatchPosition` is called with the
  /// returned number. For use in the foreground; tracking does not need it. On iOS the app is not suspended meanwhile.
  /// The functions run where listeners do: on the actor of the caller.
  ///
  /// The positions are stored and uploaded like tracked ones: while tracking is on, as the persist mode says.
  ///
  /// - Parameters:
  ///   - timeout: Seconds, from `ready` on. After each timeout without a position, `failure` is called with `LocationError` 408;
  ///     it is called with 1 as soon as permission is missing, and with 0 when location services are off.
  ///   - extras: Added to these records. With values that JSON cannot represent, `failure` is called with 400 and no stream
  ///     begins; the same holds for a negative `interval` or a `timeout` that is not positive.
  public func watchPosition(
    isolation: isolated (any Actor)? = #isolation, interval: Double = 1000, timeout: TimeInterval = 60,
    extras: [String: Any]? = nil, success: @escaping (LocationEvent) -> Void, failure: @escaping (any Error) -> Void
  ) -> Int {
    watch(
      interval, timeout, persist: nil, extras, Callback(isolation: isolation, success),
      Callback(isolation: isolation, failure))
  }

  /// The same, but `persist` decides instead of the persist mode whether the locations are stored and uploaded. Nothing
  /// is stored while tracking is off.
  public func watchPosition(
    isolation: isolated (any Actor)? = #isolation, interval: Double = 1000, timeout: TimeInterval = 60, persist: Bool,
    extras: [String: Any]? = nil, success: @escaping (LocationEvent) -> Void, failure: @escaping (any Error) -> Void
  ) -> Int {
    watch(
      interval, timeout, persist: persist, extras, Callback(isolation: isolation, success),
      Callback(isolation: isolation, failure))
  }

  private func watch(
    _ interval: Double, _ timeout: TimeInterval, persist: Bool?, _ extras: [String: Any]?,
    _ success: Callback<LocationEvent>, _ failure: Callback<any Error>
  ) -> Int {
    let object: RenderedObject
    do throws(LocationError) {
      guard interval >= 0, interval.isFinite else { throw .badRequest("the interval must be a number of at least 0") }
      guard timeout > 0, timeout.isFinite else { throw .badRequest("the timeout must be a number of more than 0") }
      object = .text(of: try JSONObject(extras: extras))
    } catch {
      device.callbacks.add { [failure.call(error)] }
      return 0
    }
    let seconds = min(timeout, PositionRequest.longestTimeoutSeconds)
    // Without a millisecond between them, timeouts would follow each other endlessly.
    let patience = Nanoseconds.milliseconds(max(1, Int64(seconds * 1_000)))
    return device.watch(
      intervalMilliseconds: interval, persist: persist, extras: object,
      watcher: PositionWatch(success: success, failure: failure, patience: patience))
  }

  /// Stops a stream. An unknown number has no effect.
  public func stopWatchPosition(_ watchId: Int) { device.stopWatch(watchId) }

  private func answer(
    _ request: PositionRequest, call: @escaping @Sendable (PositionRequest) -> EngineCall
  ) async throws -> LocationEvent {
    guard let id = device.perform({ core, _ in core.waiting.makeID() }) else { throw LocationError.cancelled }
    let record: LocationRecord = try await device.answer(
      ask: { core, continuation, now in
        var request = request
        request.id = id
        core.waiting.positions[id] = continuation
        core.host.receive(.call(call(request)), at: now)
      }, cancel: { core in core.waiting.positions.removeValue(forKey: id) })
    return LocationEvent(record, style: device.style)
  }
}

extension PositionRequest {
  static let longestTimeoutSeconds = 86_400.0

  /// Throws 400 for invalid arguments.
  fileprivate mutating func take(
    _ timeout: TimeInterval, _ accuracy: Double, _ maximumAge: Int, _ samples: Int, _ extras: [String: Any]?
  ) throws(LocationError) {
    guard timeout > 0, timeout <= Self.longestTimeoutSeconds else {
      throw .badRequest("the timeout must be more than 0 and at most a day")
    }
    guard accuracy.isFinite, maximumAge >= 0, samples > 0 else {
      throw .badRequest("accuracy, age and samples must be valid numbers")
    }
    let object = try JSONObject(extras: extras)
    timeoutSeconds = timeout
    desiredAccuracyMetres = accuracy
    maximumAgeMilliseconds = Double(maximumAge)
    self.samples = samples
    self.extras = .text(of: object)
  }
}

extension JSONObject {
  /// Throws 400 for values that JSON cannot represent.
  fileprivate init(extras: [String: Any]?) throws(LocationError) {
    guard let object = JSONObject(any: extras ?? [:]) else {
      let path = UnusableValue.path(in: extras ?? [:]).map { "extras.\($0)" } ?? "extras"
      throw .badRequest("\(path) must be a value of JSON")
    }
    self = object
  }
}
