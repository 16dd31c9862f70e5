import Base
import IngestServer
import Store

/// Whoever can say what a server has stored.
protocol StoreProof: AnyObject {
  /// Those of one device's records that are not in the store.
  func missing(_ keys: [PointKey], of device: String) -> [PointKey]
  /// Goes through the whole store, in the order of arrival.
  func forEachRecord(_ body: (_ device: String, _ uuid: UUID128) -> Void)
}

extension VirtualServer: StoreProof {
  func missing(_ keys: [PointKey], of device: String) -> [PointKey] {
    let identity = DeviceIdentity(name: device)
    let answer = ask { reader in Result { () throws(StoreError) in try reader.missing(keys, of: identity) } }
    guard case .success(let missing)? = answer else { preconditionFailure("a store in memory can be read") }
    return missing
  }

  func forEachRecord(_ body: (_ device: String, _ uuid: UUID128) -> Void) {
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
