package import Base

/// How people use their phones.
package struct Lifecycle: Equatable, Sendable {
  package var terminate = Termination()
  package var reboot = Reboots()
  package var battery = BatteryModel()

  package init() {}
}

extension Lifecycle: ScenarioSection {
  static let table = Table<Lifecycle>(
    "lifecycle", "What users do with their phones.",
    [
      .key("terminate", \.terminate, .section(), "How often users close the app."),
      .key("reboot", \.reboot, .section(), "How often users switch the phone off and on."),
      .key("battery", \.battery, .section(), "Battery level."),
    ])
}

/// How often people close the app.
package struct Termination: Equatable, Sendable {
  package var perHour = 0.0
  /// In seconds.
  package var relaunchAfter = Distribution.uniform(min: 10, max: 600)

  package init() {}
}

extension Termination: ScenarioSection {
  static let table = Table<Termination>(
    "terminate", "How often users close the app, as by a swipe. app.stopOnTerminate decides what continues.",
    [
      .key("perHour", \.perHour, .number(0...3_600), "How many times an hour, on average, for one device."),
      .key(
        "relaunchAfter", \.relaunchAfter, .distribution(InSeconds.self),
        "Time until the app is opened again; 10 s to 10 m by default."),
    ])
}

/// How often people switch the phone off and on.
package struct Reboots: Equatable, Sendable {
  package var perHour = 0.0

  package init() {}
}

extension Reboots: ScenarioSection {
  static let table = Table<Reboots>(
    "reboot", "How often users switch the phone off and on.",
    [.key("perHour", \.perHour, .number(0...60), "How many times an hour, on average, for one device.")])
}

/// The battery level.
package struct BatteryModel: Equatable, Sendable {
  /// A range of shares; each device starts at a value between them.
  package var start = [0.5, 1.0]
  package var drainPerHour = 0.06

  package init() {}
}

extension BatteryModel: ScenarioSection {
  static let table = Table<BatteryModel>(
    "battery", "Battery level.",
    [
      .key(
        "start", \.start, .levels,
        "Range of the level at the start, from the lower to the higher, as shares; 0.5 to 1 by default."),
      .key(
        "drainPerHour", \.drainPerHour, .share,
        """
        Share of a full charge that an hour uses. At 15 % the phone is plugged in; it gains half of a full charge in \
        an hour, and is unplugged when it is full.
        """),
    ])
}

extension ValueCodec where Value == [Double] {
  /// Two shares, the lower one first.
  fileprivate static var levels: ValueCodec {
    let pair = ValueCodec.list(of: .share, count: 2...2)
    return ValueCodec(pair.schema) { value, context in
      guard let levels = pair.read(value, &context) else { return nil }
      guard levels[0] <= levels[1] else {
        context.refuse(
          .contradiction, value.position, "\(levels[0].short) is above \(levels[1].short)", remedy: "swap them")
        return nil
      }
      return levels
    }
  }
}
