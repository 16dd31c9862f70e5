package import BackendStore
package import Base
package import Store

/// Reads what a server has stored, to prove that it stored what it acknowledged.
package protocol StoreProof: AnyObject {
  /// Returns the records of the device that are not in the store, in order; nil when that is unknown. The store need not
  /// have all of them: `notOwed` are those that were never acknowledged, or may be in a quarantine that it does not show.
  func missing(_ keys: [PointKey], of device: String, notOwed: Set<UUID128>) -> [PointKey]?
  /// Whether the store shows what it has quarantined.
  var showsQuarantine: Bool { get }
  /// The quarantined records of one device.
  func quarantined(of device: String) -> QuarantinedRecords
  /// Iterates over the whole store, or over the records of one device.
  func forEachRecord(of device: String?, _ body: (_ device: String, _ uuid: UUID128) -> Void)
  /// Why the store cannot be read; nil while it can.
  var refusal: String? { get }
  /// The store may also hold records of earlier runs and of other clients.
  var isShared: Bool { get }
  /// Whether the store may show positions and times of records.
  var readsContents: Bool { get }
  /// Whether positions and times of records are available for comparison.
  var comparesContents: Bool { get }
  /// The number of duplicate messages, with an id that was there already.
  var repetitions: Int { get }
  /// The number of acknowledged records that were absent at first and appeared during the search.
  var lateRecords: Int { get }
  /// The number of rows under devices of other shards that hold records of this one; known after `forEachOfTwoDevices`.
  var rowsElsewhere: Int { get }
  /// Returns the position of a record among those of its device, in the order of storage; nil where nothing shows it.
  func place(of uuid: UUID128, of device: String) -> Int?
  /// Returns the stored content of a record; nil when the store shows none.
  func content(of uuid: UUID128, of device: String) -> RecordContent?
  /// Returns the device under which a record is listed that its own device misses.
  func holder(of uuid: UUID128) -> String?
  /// Reports whether the record belongs to this run; a shared store may hold those of earlier runs.
  func wasSent(_ uuid: UUID128) -> Bool
  /// Calls `body` with each record that is listed for a device of the run and for another device.
  func forEachOfTwoDevices(_ body: (_ uuid: UUID128, _ device: String, _ other: String) -> Void)
}

extension StoreProof {
  /// Returns the acknowledged records of the device that are not in the store, in order; nil when that is unknown.
  package func missing(_ keys: [PointKey], of device: String) -> [PointKey]? {
    missing(keys, of: device, notOwed: [])
  }
}
