package import Base
import Contract
package import Store

/// Whoever can say what a server keeps, for the proof that it kept what it acknowledged.
package protocol StoreProof: AnyObject {
  /// Those of one device's records that are not in the store, in their order; nil when nobody could say.
  func missing(_ keys: [PointKey], of device: String) -> [PointKey]?
  /// The marks of the records of one device that were put aside.
  func quarantined(of device: String) -> Set<UInt64>
  /// Goes through the whole store, or what it has of one device.
  func forEachRecord(of device: String?, _ body: (_ device: String, _ uuid: UUID128) -> Void)
  /// Why nobody could say; nil as long as somebody can.
  var refusal: String? { get }
  /// Records of earlier runs and of strangers may be there too.
  var isShared: Bool { get }
  /// Positions and times of records are there to be compared.
  var comparesContents: Bool { get }
  /// What of a record that is in the store is not as it was sent, as half a sentence; nil when all that is there is.
  func change(of record: SentContent, _ uuid: UUID128, of device: String) -> String?
  /// It was put aside, by its identity.
  func isPutAside(_ uuid: UUID128, of device: String) -> Bool
  /// The device under which a record is listed that its own device misses.
  func holder(of uuid: UUID128) -> String?
}

extension StoreProof {
  package func change(of record: SentContent, _ uuid: UUID128, of device: String) -> String? { nil }
  package func isPutAside(_ uuid: UUID128, of device: String) -> Bool { false }
  package func holder(of uuid: UUID128) -> String? { nil }
}

/// What of a record can be compared with what a server shows of it.
package struct SentContent: Equatable, Sendable {
  package var timestamp: WallInstant
  package var latitude: Double
  package var longitude: Double

  package init(timestamp: WallInstant, latitude: Double, longitude: Double) {
    (self.timestamp, self.latitude, self.longitude) = (timestamp, latitude, longitude)
  }

  /// Nil for what says no place, as records of templates may.
  init?(_ record: DecodedRecord) {
    guard let timestamp = record.timestamp, !record.latitude.isNaN, !record.longitude.isNaN else { return nil }
    self.init(timestamp: timestamp, latitude: record.latitude, longitude: record.longitude)
  }

  /// About ten metres, and a second: servers round.
  private static let (degrees, milliseconds) = (0.0001, Int64(1_000))

  /// What another one has otherwise, as half a sentence.
  package func difference(from stored: SentContent) -> String? {
    var found: [String] = []
    func compare(_ name: String, _ mine: Double, _ theirs: Double) {
      if abs(mine - theirs) > SentContent.degrees { found.append("\(name) \(theirs) instead of \(mine)") }
    }
    compare("latitude", latitude, stored.latitude)
    compare("longitude", longitude, stored.longitude)
    let late = stored.timestamp.millisecondsSince1970 - timestamp.millisecondsSince1970
    if abs(late) > SentContent.milliseconds {
      found.append("timestamp \(stored.timestamp.iso8601Text) instead of \(timestamp.iso8601Text)")
    }
    return found.isEmpty ? nil : found.joined(separator: ", ")
  }
}
