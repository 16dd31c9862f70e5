package import Base

/// Something that goes wrong, for whom, and when.
package struct Fault: Equatable, Sendable {
  package var name: String
  /// Since the run began; nil for faults that come at a rate or are listed.
  package var start: Nanoseconds?
  /// 0 for events.
  package var duration: Nanoseconds
  /// How many times in an hour, on average, for one device; 0: only at `start`.
  package var perDeviceHour: Double
  /// Each time that it comes; nil: as `start`, `perDeviceHour`, `selection` and the seed have it.
  package var occurrences: [ListedOccurrence]?
  package var selection: FaultSelection
  package var action: FaultAction
  package var position: SourcePosition

  /// `start` is nil for faults that come at a rate.
  package init(
    name: String, start: Nanoseconds? = nil, duration: Nanoseconds = .zero, perDeviceHour: Double = 0,
    selection: FaultSelection = FaultSelection(), action: FaultAction,
    position: SourcePosition = SourcePosition(line: 1, column: 1)
  ) {
    self.name = name
    self.start = start
    self.duration = duration
    self.perDeviceHour = perDeviceHour
    self.selection = selection
    self.action = action
    self.position = position
  }
}

/// One entry of `faults`; exactly one of its actions is there.
struct FaultSection: ScenarioSection {
  var name = ""
  var start: Nanoseconds?
  var duration: Nanoseconds?
  var rate: FaultRate?
  var occurrences: [ListedOccurrence]?
  var selection = FaultSelection()
  var network: String?
  var toxic: Toxic?
  var http: HTTPFault?
  var authorization: AuthorizationFault?
  var storage: StorageFault?
  var device: DeviceFault?
  var lifecycle: LifecycleFault?
  var remote: RemoteFault?

  var actions: [FaultAction] {
    let all: [FaultAction?] = [
      network.map { .network($0) }, toxic.map { .toxic($0) }, http.map { .http($0) },
      authorization.map { .authorization($0) }, storage.map { .storage($0) }, device.map { .device($0) },
      lifecycle.map { .lifecycle($0) }, remote.map { .remote($0) },
    ]
    return all.compactMap { $0 }
  }

  static let actionNames = ["network", "toxic", "http", "auth", "storage", "device", "lifecycle", "remote"]

  static let table = Table<FaultSection>(
    "fault", "Something that goes wrong, for whom, and when: `at`, `rate` or `occurrences`, and one action.",
    [
      .required("name", \.name, .text, "For reports and for the tag `fault`."),
      .optional("at", \.start, .duration, "When it begins, since the run began."),
      .optional("for", \.duration, .duration, "How long it lasts; events need none."),
      .optional("rate", \.rate, .section(), "How often it comes by chance, instead of `at`."),
      .optional(
        "occurrences", \.occurrences, .list(of: .section()), "Each time that it comes and to whom, instead of `at`."),
      .key("select", \.selection, .section(), "Whom it befalls; everybody when nobody says."),
      .optional("network", \.network, .name(in: .networks), "They have this network meanwhile."),
      .optional("toxic", \.toxic, .toxic, "A toxic of toxiproxy on their connections."),
      .optional("http", \.http, .section(), "Requests are answered late, badly or not at all."),
      .optional("auth", \.authorization, .section(), "Tokens lose their worth."),
      .optional("storage", \.storage, .section(), "The device's queue fails."),
      .optional("device", \.device, .section(), "The phone's clock or receiver is wrong."),
      .optional("lifecycle", \.lifecycle, .section(), "The app is closed, or the phone reboots."),
      .optional("remote", \.remote, .section(), "The server sends commands."),
    ])
}

/// `{ perDeviceHour }`.
struct FaultRate: ScenarioSection, Equatable {
  var perDeviceHour = 0.0

  static let table = Table<FaultRate>(
    "fault-rate", "How often a fault comes by chance.",
    [.required("perDeviceHour", \.perDeviceHour, .number(0...3_600), "How many times in an hour, for one device.")])
}
