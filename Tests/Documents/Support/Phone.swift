import BackgroundGeolocation
import FoundationEssentials
import Support
import Synchronization

/// A phone on a clock of the test, whose app is started, closed and started again, in the reach of a server. Its listeners
/// are called before each member returns.
final class Phone: Sendable {
  /// Monday, 3 August 2026, midnight in UTC.
  static let monday = Date(timeIntervalSince1970: 1_785_715_200)

  let clock = DeviceClock(startingAt: Phone.monday)
  let platform: LinuxPlatform
  let server = Server()
  let heard = Heard()
  private let folder: TemporaryFolder
  private let state = Mutex(
    (app: BGGeo?.none, queue: CallbackQueue.emptiedByProgram(), launches: 0, subscriptions: Set<EventSubscription>()))

  init(_ profile: LinuxPlatform.Profile = .iOS) throws {
    folder = try TemporaryFolder()
    platform = LinuxPlatform(profile, clock: clock, transport: server.transport)
    try launch()
  }

  deinit { state.withLock { $0.app }?.close() }

  var app: BGGeo {
    guard let app = state.withLock({ $0.app }) else { preconditionFailure("the first app is started by init") }
    return app
  }
  var launches: Int { state.withLock { $0.launches } }

  /// The app starts, and listens.
  @discardableResult
  func launch() throws -> BGGeo {
    let queue = CallbackQueue.emptiedByProgram()
    let seed = state.withLock { state in
      state.launches += 1
      state.queue = queue
      return state.launches
    }
    let app = try BGGeo(folder: folder.path, platform: platform, callbackQueue: queue, seed: UInt64(seed))
    let subscriptions = heard.listen(to: app)
    state.withLock { state in
      state.app = app
      state.subscriptions = subscriptions
    }
    return app
  }

  /// The same, with `ready`.
  func launchReady(_ configure: @escaping (Config) -> Void) throws {
    try launch().ready(configure)
    callListeners()
  }

  func ready(_ configure: @escaping (Config) -> Void = { _ in }) {
    app.ready(configure)
    callListeners()
  }

  /// On, and at rest where the phone is.
  func start(_ configure: @escaping (Config) -> Void = { _ in }) async throws {
    push()
    ready(configure)
    try await app.start()
    push()
  }

  func startGeofences(_ configure: @escaping (Config) -> Void = { _ in }) async throws {
    push()
    ready(configure)
    try await app.startGeofences()
    push()
  }

  /// The system ends the process.
  func kill() {
    callListeners()
    app.close()
  }

  /// The user closes the app.
  func terminate() {
    app.terminate()
    callListeners()
  }

  func callListeners() { state.withLock { $0.queue }.runPending() }
}

/// Time and places.
extension Phone {
  /// Where a number of metres north of home is.
  static func latitude(_ metres: Double) -> Double { 45.5 + metres / 111_195 }
  static let longitude = -73.6

  func pass(_ seconds: Double) {
    clock.advance(by: seconds)
    callListeners()
  }

  func pass(minutes: Double) { pass(minutes * 60) }

  /// So long after the Monday on which the phone was switched on.
  func pass(untilDay day: Int, hour: Int, minute: Int = 0, second: Int = 0) {
    let date = Phone.monday.addingTimeInterval(Double(((day * 24 + hour) * 60 + minute) * 60 + second))
    pass(date.timeIntervalSince(clock.now))
  }

  func fix(
    _ metres: Double, accuracy: Double = 5, speed: Double = 0, age: Double = 0, altitude: Double = 40
  ) -> CLLocation {
    CLLocation(
      coordinate: CLLocationCoordinate2D(latitude: Phone.latitude(metres), longitude: Phone.longitude),
      altitude: altitude, horizontalAccuracy: accuracy, verticalAccuracy: 4, course: 0, speed: speed,
      ellipsoidalAltitude: altitude - 30, timestamp: clock.now.addingTimeInterval(-age))
  }

  func push(_ metres: Double = 0, accuracy: Double = 5, speed: Double = 0) {
    platform.push(fix(metres, accuracy: accuracy, speed: speed))
    callListeners()
  }

  func push(activity: String, confidence: Int = 100) {
    platform.push(activity: activity, confidence: confidence)
    callListeners()
  }

  /// A position each second on the way north or south.
  func move(from start: Double, to end: Double, speed: Double = 10) {
    for metres in stride(from: start, through: end, by: start < end ? speed : -speed) {
      pass(1)
      push(metres, speed: speed)
    }
  }

  /// Goes there by hand, without motion sensors: the SDK is told that it moves.
  func drive(from start: Double, to end: Double, speed: Double = 10) {
    app.changePace(true)
    push(start, speed: speed)
    move(from: start, to: end, speed: speed)
  }

  func rest(at metres: Double) {
    app.changePace(false)
    for _ in 0..<5 {
      pass(1)
      push(metres)
    }
  }

  /// What `work` gives, while time passes on a phone that stands still there. The phone looks after each second whether the answer has
  /// come, so that no second more passes on a machine that is busy.
  func standing(
    at metres: Double = 0, accuracy: Double = 5, isSilent: Bool = false,
    _ work: @escaping @Sendable (BGGeo) async throws -> LocationEvent
  ) async throws -> LocationEvent {
    let (app, steps) = (app, StepExecutor())
    let isDone = Mutex(false)
    let task = Task(executorPreference: steps) {
      defer { isDone.withLock { $0 = true } }
      return try await work(app)
    }
    while !isDone.withLock({ $0 }) {
      if !isSilent { push(metres, accuracy: accuracy) }
      steps.run()
      pass(1)
      steps.run()
    }
    callListeners()
    return try await task.value
  }
}
