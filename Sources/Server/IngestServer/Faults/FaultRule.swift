import Base

/// One fault and whom it meets.
struct FaultRule: Equatable, Sendable {
  /// Which requests are meant. What is nil does not matter.
  struct Match: Equatable, Sendable {
    var device: String?
    /// Devices with this tag; what nobody knows the device of has none.
    var tag: String?
    /// The run whose requests are meant; nil for every run.
    var run: String?
    var operation: DeviceOperation?
    /// The part of the matching requests that the fault meets, 0 to 1.
    var share = 1.0
    /// The fault happens so many times and then no more.
    var count: Int?
    /// So many matching requests go through first.
    var skip = 0
    var from: WallInstant?
    var to: WallInstant?
  }

  let id: String
  let fault: ServerFault
  let match: Match
  /// The draws of the rule follow from it, from the rule's id and from the device alone.
  let seed: UInt64
  /// The run in which the rule was set; whoever sets the rules of one run leaves those of the others alone.
  let owner: String

  func concerns(_ request: FaultRequest) -> Bool {
    if let device = match.device, device != request.device { return false }
    if let tag = match.tag, !request.tags.contains(tag) { return false }
    if let run = match.run, run != request.run { return false }
    if let operation = match.operation, operation != request.operation { return false }
    if let from = match.from, request.at < from { return false }
    if let to = match.to, request.at >= to { return false }
    return true
  }
}

/// What a rule looks at.
struct FaultRequest: Sendable {
  let operation: DeviceOperation
  let run: String
  /// Empty while it is not known.
  let device: String
  /// Those of the device; empty where no rule asks.
  var tags: [String] = []
  let at: WallInstant
}

/// A fault that meets one request.
struct AppliedFault: Equatable, Sendable {
  let rule: String
  let fault: ServerFault
  /// What was drawn for a fault that waits.
  let delay: Nanoseconds

  init(rule: String, fault: ServerFault, delay: Nanoseconds) {
    self.rule = rule
    self.fault = fault
    self.delay = delay
  }

  /// One of no rule, which waits its shortest time.
  init(directed fault: ServerFault) {
    rule = ""
    self.fault = fault
    switch fault {
    case .delay(let range), .delayAfterCommit(let range): delay = .milliseconds(range.lowerBound)
    case .dribble(_, let pause): delay = .milliseconds(pause)
    default: delay = .zero
    }
  }
}
