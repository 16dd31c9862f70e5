import Base
import Store

/// Somebody who can say what a server keeps, for the proof that it kept what it acknowledged.
protocol StoreProof: AnyObject {
  /// Those of one device's records that are not in the store, in their order.
  func missing(_ keys: [PointKey], of device: String) -> [PointKey]
  /// The marks of the records of one device that were put aside.
  func quarantined(of device: String) -> Set<UInt64>
  /// Goes through the whole store, or what it has of one device.
  func forEachRecord(of device: String?, _ body: (_ device: String, _ uuid: UUID128) -> Void)
}
