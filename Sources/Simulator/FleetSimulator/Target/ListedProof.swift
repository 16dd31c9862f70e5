package import BackendStore
package import Base
package import Store

/// What a list of stored records says of one.
package struct ListedEntry {
  package let uuid: UUID128
  /// Nil where nothing is there to be compared.
  package var content: RecordContent?
  package var isPutAside = false
}

/// Reads what a backend has stored.
package protocol ListingSource: AnyObject {
  /// One reading tells of all devices.
  var isOfAllDevices: Bool { get }
  /// Calls `take` with the entries of a device, or with those of all and the device of each. Gives why they could not be
  /// read, as half a sentence; nil when they were.
  func read(_ device: String, _ take: (_ device: String?, ListedEntry) -> Void) -> String?
}

/// Proves by lists of stored records. Each device's list is read once. Of a device whose turn is over only the identities
/// stay in memory, 16 bytes each, to find there what another one misses.
package final class ListedProof: StoreProof {
  private let source: any ListingSource
  private let devices: [String]
  private var listings: [String: StoreListing] = [:]
  /// Whose turn it is.
  private var turn: String?
  private var hasReadAll = false
  package private(set) var refusal: String?
  package private(set) var comparesContents = false
  package let (isShared, readsContents) = (true, true)

  package init(_ source: any ListingSource, devices: [String]) { (self.source, self.devices) = (source, devices) }

  package func missing(_ keys: [PointKey], of device: String) -> [PointKey]? {
    // The listings that were read to find what this or an earlier device misses keep their contents: their turn may come.
    if let turn, turn != device { listings[turn]?.forgetContents() }
    turn = device
    guard let listing = listing(of: device) else { return nil }
    return keys.filter { !listing.isStored($0.uuid) }
  }

  /// What is put aside is known by its identity.
  package func quarantined(of device: String) -> Set<UInt64> { [] }

  package func isPutAside(_ uuid: UUID128, of device: String) -> Bool {
    listing(of: device)?.putAside.contains(uuid) ?? false
  }

  package func change(of record: RecordContent, _ uuid: UUID128, of device: String) -> String? {
    guard let stored = listing(of: device)?.content(of: uuid) else { return nil }
    comparesContents = true
    return record.difference(from: stored)
  }

  package func holder(of uuid: UUID128) -> String? {
    devices.first { device in listing(of: device)?.isStored(uuid) ?? false }
  }

  package func forEachRecord(of device: String?, _ body: (_ device: String, _ uuid: UUID128) -> Void) {
    for device in device.map({ [$0] }) ?? devices {
      guard let listing = listing(of: device) else { return }
      for uuid in listing.stored { body(device, uuid) }
    }
  }

  private func listing(of device: String) -> StoreListing? {
    if let known = listings[device] { return known }
    // A store that could not be read once is not read for each device.
    guard refusal == nil else { return nil }
    if source.isOfAllDevices { return readAll(asking: device) }
    var listing = StoreListing()
    refusal = source.read(device) { listing.take($1) }
    guard refusal == nil else { return nil }
    listing.close()
    listings[device] = listing
    return listing
  }

  private func readAll(asking device: String) -> StoreListing? {
    if !hasReadAll {
      let wanted = Set(devices)
      refusal = source.read(device) { device, entry in
        // Of strangers nothing is asked.
        if let device, wanted.contains(device) { listings[device, default: StoreListing()].take(entry) }
      }
      for name in devices { listings[name]?.close() }
      hasReadAll = true
    }
    return refusal == nil ? listings[device] ?? StoreListing() : nil
  }
}

/// What a store lists of one device's records.
struct StoreListing {
  /// Repeated ones too; in order once the listing is closed.
  private(set) var stored: [UUID128] = []
  /// Of each of them; empty as long as there is nothing to compare.
  private var contents: [RecordContent?] = []
  private(set) var putAside: Set<UUID128> = []

  mutating func take(_ entry: ListedEntry) {
    if entry.isPutAside { return _ = putAside.insert(entry.uuid) }
    if contents.isEmpty, entry.content != nil { contents = Array(repeating: nil, count: stored.count) }
    stored.append(entry.uuid)
    if entry.content != nil || !contents.isEmpty { contents.append(entry.content) }
  }

  /// All of it has been taken.
  mutating func close() {
    guard !contents.isEmpty else { return stored.sort() }
    let order = stored.indices.sorted { stored[$0] < stored[$1] }
    stored = order.map { stored[$0] }
    contents = order.map { contents[$0] }
  }

  mutating func forgetContents() { contents = [] }

  func isStored(_ uuid: UUID128) -> Bool { place(of: uuid) != nil }

  func content(of uuid: UUID128) -> RecordContent? {
    guard !contents.isEmpty, let place = place(of: uuid) else { return nil }
    return contents[place]
  }

  private func place(of uuid: UUID128) -> Int? {
    var (low, high) = (0, stored.count)
    while low < high {
      let middle = (low + high) / 2
      if stored[middle] < uuid { low = middle + 1 } else { high = middle }
    }
    return low < stored.count && stored[low] == uuid ? low : nil
  }
}

/// A database, what a command prints, a file.
package final class ViewSource: ListingSource {
  private let view: any StoreView

  package init(_ view: any StoreView) { self.view = view }

  package var isOfAllDevices: Bool { view.isOfAllDevices }

  package func read(_ device: String, _ take: (_ device: String?, ListedEntry) -> Void) -> String? {
    var entries = 0
    var named = 0
    do throws(StoreProblem) {
      try view.read(device) { record in
        entries += 1
        guard let uuid = record.uuid else { return }
        named += 1
        let content = RecordContent(record)
        take(
          view.isOfAllDevices ? record.device : device,
          ListedEntry(uuid: uuid, content: content.isEmpty ? nil : content))
      }
    } catch { return error.text }
    return entries > 0 && named == 0
      ? "\(view.place): no entry has a uuid; name its place in target.verify.fields" : nil
  }
}
