package import Base
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
}
