import Base
import Scenario

/// All figures of a run: one cell for each measure of each fleet, and one for each selection of a threshold. Their number
/// depends on the scenario only.
struct MeasureTable {
  /// A part of a measure that a threshold selects.
  struct Selection {
    let measure: Measure
    let filter: SampleFilter
    var cell = Cell()
  }

  private let fleetCount: Int
  private var cells: [Cell]
  private(set) var selections: [Selection] = []
  /// The samples for comparisons between runs.
  private(set) var groups = SampleGroups()
  /// The comparison group of each device.
  private let groupOf: [Int]
  /// The current piece of the run.
  var piece = 0
  /// For each measure, the selections with a cell of their own.
  private var own: [[Int]]

  init(_ setup: RunSetup) {
    fleetCount = setup.fleets.count
    groupOf = setup.deviceNumbers.map(SampleGroups.group)
    cells = Array(repeating: Cell(), count: Measure.allCases.count * max(fleetCount, 1))
    own = Array(repeating: [], count: Measure.allCases.count)
  }

  /// Adds a selection and returns the index of its figure.
  mutating func select(_ measure: Measure, _ filter: SampleFilter) -> Int {
    selections.append(Selection(measure: measure, filter: filter))
    if !filter.isOfFleetsOnly { own[measure.rawValue].append(selections.count - 1) }
    return selections.count - 1
  }

  mutating func count(_ measure: Measure, _ tags: SampleTags, _ more: Int = 1) {
    cells[measure.rawValue * fleetCount + tags.fleet].count(more)
    for index in own[measure.rawValue] where selections[index].filter.takes(tags, countsSettling: true) {
      selections[index].cell.count(more)
    }
  }

  /// Requests in the settle phase count only for selections that include it.
  mutating func judge(_ measure: Measure, _ isHit: Bool, _ tags: SampleTags) {
    if !tags.isSettling {
      cells[measure.rawValue * fleetCount + tags.fleet].judge(isHit)
      if measure == .uploadFailed { groups.note(isFailed: isHit, of: groupOf[tags.device], in: piece) }
    }
    for index in own[measure.rawValue] where selections[index].filter.takes(tags) {
      selections[index].cell.judge(isHit)
    }
  }

  mutating func record(_ measure: Measure, _ value: UInt64, _ tags: SampleTags) {
    if !tags.isSettling {
      cells[measure.rawValue * fleetCount + tags.fleet].record(value, upTo: measure.highestTrackableValue)
    }
    for index in own[measure.rawValue] where selections[index].filter.takes(tags) {
      selections[index].cell.record(value, upTo: measure.highestTrackableValue)
    }
  }

  mutating func record(_ measure: Measure, _ span: Nanoseconds, _ tags: SampleTags) {
    if !tags.isSettling, let place = measure.placeInComparison {
      groups.record(place, span, of: groupOf[tags.device], in: piece)
    }
    record(measure, UInt64(max(span.count, 0) / 1_000), tags)
  }

  /// Adds a measure of the whole run, stored with the first fleet.
  mutating func add(_ measure: Measure, hits: Int = 0, of total: Int) {
    cells[measure.rawValue * fleetCount].add(hits: hits, of: total)
  }

  func cell(_ measure: Measure, fleet: Int) -> Cell { cells[measure.rawValue * fleetCount + fleet] }

  /// Returns the sum over the fleets that `fleets` selects.
  func cell(_ measure: Measure, of fleets: [Bool]) -> Cell {
    var sum = Cell()
    for fleet in fleets.indices where fleets[fleet] { sum.add(cell(measure, fleet: fleet)) }
    return sum
  }

  func cell(of selection: Int) -> Cell {
    let selected = selections[selection]
    return selected.filter.isOfFleetsOnly ? cell(selected.measure, of: selected.filter.fleets) : selected.cell
  }
}

/// The metrics that thresholds can name, in the order of `Metric.all`.
enum Measure: Int, CaseIterable {
  case checks
  case recordsCreated, recordsDelivered, recordsLost, recordsExpired, recordsEvicted
  case duplicatesExplained, duplicatesUnexplained, duplicatesRatio
  case uploadDuration, uploadWait, recordDeliveryLatency, timeToVisible
  case queueDepth, queueOldestAge, drainTime
  case batchSize, uploadBytes, uploads, uploadFailed, uploadsRepeated, retriesPerRecord
  case tlsHandshakes, tlsResumed, tlsHandshakeTime, connects, connectionReuse, connectionsOpen
  case authRefreshes, authRefreshFailures, refusalsUntilLogin, refusalsUntilStop, refusalsPerHour
  case geofenceTransitions, geofenceDelay, odometerError, remoteCommandsApplied
  case devicesActive, devicesMoving, droppedTrips
  case generatorLag, generatorCPU, clausesBroken

  var metric: Metric { Metric.all[rawValue] }

  static func of(_ metric: Metric) -> Measure? { allCases.first { $0.metric.name == metric.name } }

  /// The measures that only the server's store can show.
  static let ofStorage: [Measure] = [.recordsLost, .duplicatesExplained, .duplicatesUnexplained, .duplicatesRatio]
  /// The measures that only the in-process server shows.
  static let ofArrivals: [Measure] = [.duplicatesExplained, .duplicatesRatio]

  /// Histogram units per unit of the metric: times are stored in microseconds and reported in milliseconds.
  var resolution: Double {
    switch self {
    case .uploadDuration, .uploadWait, .recordDeliveryLatency, .timeToVisible, .queueOldestAge, .drainTime,
      .tlsHandshakeTime, .geofenceDelay, .generatorLag:
      1_000
    case .odometerError: 1_000_000
    default: 1
    }
  }

  /// Forty days in microseconds; for other measures more than a device can have.
  var highestTrackableValue: UInt64 { resolution == 1_000 ? 3_456_000_000_000 : 1_000_000_000 }

  /// The index in `SampleGroups.metrics`.
  var placeInComparison: Int? {
    switch self {
    case .uploadDuration: 0
    case .recordDeliveryLatency: 1
    default: nil
    }
  }

  func isMeasured(in setup: RunSetup) -> Bool {
    absence(isVirtual: setup.outside == nil, hasTokens: setup.authorization != nil) == nil
  }

  /// Returns why the measure is unknown for such a run, and what to do; nil when it is measured.
  func absence(isVirtual: Bool, hasTokens: Bool) -> (reason: String, remedy: String)? {
    switch self {
    case .timeToVisible where isVirtual:
      (
        "the server in virtual time commits before it answers, so that what is acknowledged is visible",
        "record_delivery_latency tells when"
      )
    case .timeToVisible:
      (
        "target.verify is queried once, at the end, so that queries do not delay devices",
        "record_delivery_latency tells when a record was acknowledged"
      )
    case .refusalsUntilLogin where !hasTokens, .refusalsUntilStop where !hasTokens, .refusalsPerHour where !hasTokens:
      ("devices have no tokens that could be refused", "add target: { auth: { strategy: \"jwt\" } }")
    case .odometerError:
      (
        "how far a body has truly gone is not kept",
        "remove it: invariant I17-odometer-tolerance watches over the odometer"
      )
    case .tlsHandshakes where isVirtual, .tlsResumed where isVirtual, .tlsHandshakeTime where isVirtual:
      ("links in virtual time carry no TLS", "use an https target with --mode realtime")
    case .connectionsOpen where isVirtual, .uploadsRepeated where isVirtual:
      ("links in virtual time are modelled", "use a real server with --target")
    case .generatorCPU where isVirtual, .generatorLag where isVirtual:
      ("not measured in virtual time", "use --mode realtime or accelerated")
    case .clausesBroken where isVirtual:
      ("only the answers of a real server are checked against the clauses", "use it as the --target")
    default: nil
    }
  }

  /// Whether it is known only at the end of a run.
  var isKnownAtTheEnd: Bool {
    switch self {
    case .recordsLost, .duplicatesExplained, .duplicatesUnexplained, .duplicatesRatio, .droppedTrips, .clausesBroken:
      true
    default: false
    }
  }

  /// Whether it belongs to the run as a whole and not to its devices.
  var isOfTheWhole: Bool {
    switch self {
    case .recordsLost, .duplicatesExplained, .duplicatesUnexplained, .duplicatesRatio, .droppedTrips, .generatorLag,
      .generatorCPU, .clausesBroken, .connectionsOpen:
      true
    default: false
    }
  }
}
