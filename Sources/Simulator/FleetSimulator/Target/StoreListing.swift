import BackendStore
import Base

/// The records that a store lists for one device.
struct StoreListing {
  /// The identities, with duplicates; sorted once the listing is closed.
  private(set) var stored: [UUID128] = []
  /// The content of each; empty without contents to compare.
  private var contents: [RecordContent] = []
  /// The original position of each; empty where the order has no meaning.
  private var places: [UInt32] = []
  private(set) var quarantined: Set<UUID128> = []
  /// How its reading has ended; nil where the device has no list.
  private(set) var end: ListEnd?

  mutating func take(_ uuid: UUID128, _ content: RecordContent) {
    if contents.isEmpty, !content.isEmpty { contents = Array(repeating: .empty, count: stored.count) }
    stored.append(uuid)
    if !contents.isEmpty || !content.isEmpty { contents.append(content) }
  }

  /// Sorts the listing when it is complete.
  mutating func close(at end: ListEnd, keepingOrder: Bool) {
    (self.end, quarantined) = (end, Set(end.quarantined))
    guard !contents.isEmpty || keepingOrder else { return stored.sort() }
    let order = stored.indices.sorted { (stored[$0], $0) < (stored[$1], $1) }
    stored = order.map { stored[$0] }
    if !contents.isEmpty { contents = order.map { contents[$0] } }
    if keepingOrder { places = order.map { UInt32($0) } }
  }

  mutating func forgetContents() { (contents, places) = ([], []) }

  func isStored(_ uuid: UUID128) -> Bool { index(of: uuid) != nil }

  /// Returns the first position of a record in the list; nil where the order has no meaning.
  func place(of uuid: UUID128) -> Int? {
    guard !places.isEmpty, let index = index(of: uuid) else { return nil }
    return Int(places[index])
  }

  func content(of uuid: UUID128) -> RecordContent? {
    guard !contents.isEmpty, let index = index(of: uuid) else { return nil }
    return contents[index]
  }

  private func index(of uuid: UUID128) -> Int? {
    let index = stored.indexBehind { $0 < uuid }
    return index < stored.count && stored[index] == uuid ? index : nil
  }
}
