package import Base
import IngestServer
package import Store

/// Whoever can say what a server has stored.
package protocol StoreProof: AnyObject {
  /// Those of one device's records that are not in the store; nil when nobody could say.
  func missing(_ keys: [PointKey], of device: String) -> [PointKey]?
  /// Goes through the whole store, in the order of arrival.
  func forEachRecord(_ body: (_ device: String, _ uuid: UUID128) -> Void)
  /// Why nobody could say; nil as long as somebody can.
  var refusal: String? { get }
  /// Records of earlier runs and of strangers may be there too.
  var isShared: Bool { get }
}

extension VirtualServer: StoreProof {
  package var refusal: String? { nil }
  package var isShared: Bool { false }

  package func missing(_ keys: [PointKey], of device: String) -> [PointKey]? {
    let identity = DeviceIdentity(name: device)
    let answer = ask { reader in Result { () throws(StoreError) in try reader.missing(keys, of: identity) } }
    guard case .success(let missing)? = answer else { preconditionFailure("a store in memory can be read") }
    return missing
  }

  package func forEachRecord(_ body: (_ device: String, _ uuid: UUID128) -> Void) {
    var cursor: ArrivalCursor?
    repeat {
      let start = cursor
      let answer = ask { reader in Result { () throws(StoreError) in try reader.keys(run: "", after: start) } }
      guard case .success(let page)? = answer else { preconditionFailure("a store in memory can be read") }
      for key in page.elements { body(key.device.name, key.key.uuid) }
      cursor = page.next
    } while cursor != nil
  }
}
