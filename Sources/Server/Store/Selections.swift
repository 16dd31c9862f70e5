package import Base

/// Selects stored records. A nil property matches everything.
package struct RecordSelection: Sendable {
  package var keys: KeySelection
  package var event: String?
  /// The earliest time of arrival, in milliseconds since 1970.
  package var receivedFrom: Int64

  package init(_ keys: KeySelection, event: String? = nil, receivedFrom: Int64 = .min) {
    self.keys = keys
    self.event = event
    self.receivedFrom = receivedFrom
  }
}

/// Selects stored records of a run. A nil property matches everything.
package struct KeySelection: Sendable {
  package var run: String
  package var device: DeviceIdentity?
  package var uuids: Set<UUID128>?
  /// Recorded time in milliseconds since 1970: `from` ≤ time < `to`.
  package var from: Int64
  package var to: Int64

  package init(
    run: String, device: DeviceIdentity? = nil, uuids: Set<UUID128>? = nil, from: Int64 = .min, to: Int64 = .max
  ) {
    self.run = run
    self.device = device
    self.uuids = uuids
    self.from = from
    self.to = to
  }
}

/// Selects quarantined records. A nil property matches everything.
package struct QuarantineSelection: Equatable, Sendable {
  package var run: String?
  package var device: String?
  package var reason: String?
  /// One record.
  package var id: Int64?

  package init(run: String? = nil, device: String? = nil, reason: String? = nil, id: Int64? = nil) {
    self.run = run
    self.device = device
    self.reason = reason
    self.id = id
  }
}

/// Selects token families for an administrator.
package enum TokenSelection: Sendable {
  case family(Int64)
  case device(DeviceIdentity)
  case run(String)
  case all
}
