import Base
import Store

/// What the store holds against what the clients were told. All four must be zero.
struct Verdict {
  var stored = 0
  var missing = 0
  var twice = 0
  var torn = 0
  var unexpected = 0
  var lies: [String] = []

  var isGood: Bool { missing == 0 && twice == 0 && torn == 0 && unexpected == 0 && lies.isEmpty }

  init(_ ledgers: [Ledger], in reader: any StoreReader) throws(StoreError) {
    var found = ledgers.map { $0.batches.map { [Int](repeating: 0, count: $0.count) } }
    var cursor: ArrivalCursor?
    repeat {
      let page = try reader.keys(run: "", after: cursor)
      for stored in page.elements { note(stored, ledgers, &found) }
      cursor = page.next
    } while cursor != nil
    for (ledger, batches) in zip(ledgers, found) {
      for (isAcknowledged, records) in zip(ledger.acknowledged, batches) {
        let there = records.count { $0 > 0 }
        if isAcknowledged { missing += records.count - there }
        if there != 0 && there != records.count { torn += 1 }
      }
      lies += ledger.lies
    }
  }

  private mutating func note(_ key: StoredKey, _ ledgers: [Ledger], _ found: inout [[[Int]]]) {
    stored += 1
    let origin = Batch.origin(of: key.key)
    guard ledgers.indices.contains(origin.client), ledgers[origin.client].batches.indices.contains(origin.number),
      found[origin.client][origin.number].indices.contains(origin.index)
    else {
      unexpected += 1
      return
    }
    let batch = ledgers[origin.client].batches[origin.number]
    if batch.key(origin.index) != key.key || key.device.name != batch.device { unexpected += 1 }
    found[origin.client][origin.number][origin.index] += 1
    if found[origin.client][origin.number][origin.index] > 1 { twice += 1 }
  }
}
