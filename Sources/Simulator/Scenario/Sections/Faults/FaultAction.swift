package import Base

/// The effect of a fault. A new action needs a case, its arm in `kind`, a row of `keys`, its `examples` and a type that
/// conforms to `FaultKind`; a new key of an action needs a property of that type and a row of its table.
package enum FaultAction: Equatable, Sendable {
  /// The name of the network during the fault.
  case network(String)
  case toxic(Toxic)
  case tls(TLSFault)
  case http(HTTPFault)
  case authorization(AuthorizationFault)
  case storage(StorageFault)
  case device(DeviceFault)
  case lifecycle(LifecycleFault)
  case remote(RemoteFault)

  /// The keys of a fault, of which exactly one is present.
  static let keys: [Key<FaultSection>] = [
    key(networkKey, .name(in: .networks), FaultAction.network, "Network of the affected devices during the fault."),
    key(Toxic.key, .toxic, FaultAction.toxic, "A Toxiproxy toxic on the connections of the affected devices."),
    key(FaultAction.tls, "TLS handshakes of the affected devices go wrong."),
    key(FaultAction.http, "Requests get a late answer, a wrong answer or none."),
    key(FaultAction.authorization, "Tokens become invalid."),
    key(FaultAction.storage, "The device's queue fails."),
    key(FaultAction.device, "The phone's clock or receiver is wrong."),
    key(FaultAction.lifecycle, "The app is closed, or the phone reboots."),
    key(FaultAction.remote, "The server sends commands."),
  ]

  private static let networkKey = "network"

  private static func key<Kind: FaultKind & ScenarioSection>(
    _ action: @escaping @Sendable (Kind) -> FaultAction, _ text: String
  ) -> Key<FaultSection> {
    key(Kind.key, .section(), action, text)
  }

  private static func key<Value>(
    _ name: String, _ codec: ValueCodec<Value>, _ action: @escaping @Sendable (Value) -> FaultAction, _ text: String
  ) -> Key<FaultSection> {
    let schema = KeySchema(name: name, schema: codec.schema, isRequired: false, standard: nil, text: text)
    return Key(schema: schema) { value, fault, context in
      if let read = codec.read(value, &context) { fault.actions.append(action(read)) }
    }
  }

  /// Nil for a network, which is merely a state of the link.
  private var kind: (any FaultKind)? {
    switch self {
    case .network: nil
    case .toxic(let fault): fault
    case .tls(let fault): fault
    case .http(let fault): fault
    case .authorization(let fault): fault
    case .storage(let fault): fault
    case .device(let fault): fault
    case .lifecycle(let fault): fault
    case .remote(let fault): fault
    }
  }

  package var span: FaultSpan { kind?.span ?? .state }
  package var effects: FaultEffects { kind?.effects ?? [] }
  package var isServers: Bool { kind?.isServers ?? false }
  var isEmpty: Bool { kind?.isEmpty ?? false }

  /// The key in a fault.
  package var key: String { kind.map { type(of: $0).key } ?? FaultAction.networkKey }

  /// Returns what is wrong with it beside other values, by paths below its key.
  func problems(in scenario: Scenario) -> [ScenarioProblem] {
    if case .network(let name) = self, case .changing? = scenario.network(named: name) {
      return [
        ScenarioProblem(
          "", "'\(name)' is a changing network", remedy: "name a link that does not change",
          reading: ["networks.\(name.asPathStep)"])
      ]
    }
    return kind?.problems(in: scenario) ?? []
  }

  /// Returns examples for random scenarios, as `"key": value`; those of `auth` are in `ScenarioGenerator`, because they need
  /// tokens. The order is that of the draws; changing it changes the scenario of every seed.
  package static func examples(from stream: inout RandomStream) -> [String] {
    var draws = ExampleDraws(from: stream)
    let examples = [
      (networkKey, [#""none""#, #""edge""#]), (StorageFault.key, StorageFault.examples(&draws)),
      (DeviceFault.key, DeviceFault.examples(&draws)), (LifecycleFault.key, LifecycleFault.examples(&draws)),
      (HTTPFault.key, HTTPFault.examples(&draws)), (Toxic.key, Toxic.examples(&draws)),
      (RemoteFault.key, RemoteFault.examples(&draws)), (TLSFault.key, TLSFault.examples(&draws)),
    ]
    stream = draws.stream
    return examples.flatMap { key, values in values.map { #""\#(key)": \#($0)"# } }
  }
}

/// A kind of fault and its properties.
protocol FaultKind: Equatable, Sendable {
  /// The key of its action in a fault.
  static var key: String { get }
  var span: FaultSpan { get }
  var effects: FaultEffects { get }
  /// Whether the server must implement it.
  var isServers: Bool { get }
  /// Whether it has no effect, because no key is set.
  var isEmpty: Bool { get }
  /// Returns what is wrong with it beside other values, by paths below its key.
  func problems(in scenario: Scenario) -> [ScenarioProblem]
  /// Returns examples for random scenarios, in JSON.
  static func examples(_ draws: inout ExampleDraws) -> [String]
}

extension FaultKind {
  var effects: FaultEffects { [] }
  var isServers: Bool { false }
  func problems(in scenario: Scenario) -> [ScenarioProblem] { [] }
  static func examples(_ draws: inout ExampleDraws) -> [String] { [] }
}

extension FaultKind where Self: ScenarioSection {
  var isEmpty: Bool { self == Self() }
}

/// How long a fault lasts.
package enum FaultSpan: Equatable, Sendable {
  /// An instantaneous event; its changes are not reverted.
  case event
  /// A state that requires `for` and ends after it.
  case state
  /// Ends by itself, such as a crash that waits for its moment; otherwise after `for`, or when all faults end.
  case open
}

/// The effects of a fault on a device, for the device and for the rules that judge it.
package struct FaultEffects: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The phone gets no positions meanwhile, and rules expect none.
  package static let hidesPositions = FaultEffects(rawValue: 1)
  /// The device's store may fail to write meanwhile, and rules excuse the losses.
  package static let disturbsStore = FaultEffects(rawValue: 2)
  /// Access tokens are invalid from then on.
  package static let endsTokens = FaultEffects(rawValue: 4)
  /// Another party may answer in the server's name meanwhile.
  package static let answersRequests = FaultEffects(rawValue: 8)
  /// The app makes a record of its own at the end.
  package static let addsRecord = FaultEffects(rawValue: 16)
  /// The phone is switched off.
  package static let switchesOff = FaultEffects(rawValue: 32)
}

/// The random draws for the examples of a scenario.
struct ExampleDraws {
  private(set) var stream: RandomStream
  /// Below 20,000.
  let milliseconds: Int
  /// From 1 to 100.
  let percentage: Int

  init(from stream: RandomStream) {
    self.stream = stream
    milliseconds = self.stream.index(below: 20_000)
    percentage = 1 + self.stream.index(below: 100)
  }

  mutating func one(of choices: [String]) -> String { choices[stream.index(below: choices.count)] }

  mutating func index(below bound: Int) -> Int { stream.index(below: bound) }
}

/// A fault of a phone.
package struct DeviceFault: Equatable, Sendable {
  package var clockOffset: Nanoseconds?
  package var clockDriftPartsPerMillion: Double?
  package var noFix = false
  package var poisonRecord: PoisonKind?

  package init() {}
}

extension DeviceFault: ScenarioSection, FaultKind {
  static let key = "device"

  /// A wrong clock may remain so, and poison waits for a running app.
  var span: FaultSpan { noFix ? .state : .open }

  var effects: FaultEffects {
    var effects: FaultEffects = noFix ? .hidesPositions : []
    if poisonRecord != nil { effects.insert(.addsRecord) }
    return effects
  }

  static func examples(_ draws: inout ExampleDraws) -> [String] {
    [
      #"{ "clockOffset": "\#(draws.index(below: 7_200) - 3_600)s" }"#, #"{ "noFix": true }"#,
      #"{ "clockDrift": \#(draws.index(below: 200) - 100) }"#,
      #"{ "poisonRecord": "\#(draws.one(of: PoisonKind.allCases.map(\.rawValue)))" }"#,
    ]
  }

  static let table = Table<DeviceFault>(
    "device-fault", "A fault of the phone.",
    [
      .optional(
        "clockOffset", \.clockOffset, .offset, "What is added to the device clock from then on; several add up."),
      .optional(
        "clockDrift", \.clockDriftPartsPerMillion, .number(-1e5...1e5),
        "Drift of the device clock, in parts per million."),
      .key("noFix", \.noFix, .boolean, "The receiver sees no satellites."),
      .optional("poisonRecord", \.poisonRecord, .choice, "The next record is invalid in this way."),
    ])
}

/// The defect of a record that no server should accept.
package enum PoisonKind: String, CaseIterable, Sendable {
  case missingCoords = "missing-coords"
  case textLatitude = "text-latitude"
  case oversizedExtras = "oversized-extras"
}

/// A fault of an app's lifecycle.
package struct LifecycleFault: Equatable, Sendable {
  package var terminate = false
  package var reboot = false
  /// In seconds; nil: until the user opens it again, according to the fleet's lifecycle.
  package var relaunchAfter: Distribution?

  package init() {}
}

extension LifecycleFault: ScenarioSection, FaultKind {
  static let key = "lifecycle"

  var span: FaultSpan { .event }
  /// `relaunchAfter` alone has no effect.
  var isEmpty: Bool { !terminate && !reboot }
  var effects: FaultEffects { reboot ? .switchesOff : [] }

  static func examples(_ draws: inout ExampleDraws) -> [String] {
    [#"{ "terminate": true, "relaunchAfter": "\#(1 + draws.milliseconds / 20)s" }"#, #"{ "reboot": true }"#]
  }

  static let table = Table<LifecycleFault>(
    "lifecycle-fault", "A fault of the app process.",
    [
      .key("terminate", \.terminate, .boolean, "The user closes the app, as by a swipe."),
      .key("reboot", \.reboot, .boolean, "The phone is switched off and on again."),
      .optional("relaunchAfter", \.relaunchAfter, .distribution(InSeconds.self), "How long until it runs again."),
    ])
}

/// A fault of a device's queue.
package struct StorageFault: Equatable, Sendable {
  package var error: StorageError?
  package var crash: CrashMoment?

  package init() {}
}

extension StorageFault: ScenarioSection, FaultKind {
  static let key = "storage"

  /// A crash waits for its moment.
  var span: FaultSpan { error != nil ? .state : .open }
  var effects: FaultEffects { .disturbsStore }

  func problems(in scenario: Scenario) -> [ScenarioProblem] {
    guard error != nil, crash != nil else { return [] }
    return [ScenarioProblem("crash", "error and crash in one fault", remedy: "write a fault for each")]
  }

  static func examples(_ draws: inout ExampleDraws) -> [String] {
    let errors = ["SQLITE_FULL", "SQLITE_IOERR", "SQLITE_BUSY", "SQLITE_READONLY"]
    return [
      #"{ "error": "\#(draws.one(of: errors))" }"#,
      #"{ "crash": "\#(draws.one(of: CrashMoment.allCases.map(\.rawValue)))" }"#,
    ]
  }

  static let table = Table<StorageFault>(
    "storage-fault", "A fault of the device's queue.",
    [
      .optional("error", \.error, .choice, "The SQLite error that every write returns."),
      .optional("crash", \.crash, .choice, "Between which two steps the app dies."),
    ])
}

/// The SQLite error on the device.
package enum StorageError: String, CaseIterable, Sendable {
  case full = "SQLITE_FULL"
  case io = "SQLITE_IOERR"
  case busy = "SQLITE_BUSY"
  case corrupt = "SQLITE_CORRUPT"
  case readOnly = "SQLITE_READONLY"
}

/// The two steps between which the app dies.
package enum CrashMoment: String, CaseIterable, Sendable {
  case beforeInsertCommits = "before-insert-commits"
  case betweenSendAndAnswer = "between-send-and-answer"
  case betweenAnswerAndDelete = "between-2xx-and-delete"
}
