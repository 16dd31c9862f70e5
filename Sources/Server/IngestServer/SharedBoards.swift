import Base
import JSON
import PostgresStore
import Store
import Synchronization

/// Settings that operators make at one server and all servers of a store follow: fault rules and maps of the live page, one
/// document per run. When the store is not shared, they are kept in this server's memory only.
final class SharedBoards: Sendable {
  enum Kind: String {
    case faults, map
  }

  private struct Key: Hashable {
    let kind: String
    let run: ExactText
  }

  private let faults: FaultBoard
  private let maps: MapBoard
  private let reach: HandshakeFaultScope
  /// The documents in the database; nil when the store is not shared.
  private let documents: SharedDocuments?
  /// The change number of each document as this server has applied it. Locked while a change is made here and in the database:
  /// documents that a feed read meanwhile would be older.
  private let followed = Mutex<[Key: Int64]>([:])

  init(_ faults: FaultBoard, _ maps: MapBoard, _ reach: HandshakeFaultScope, _ documents: SharedDocuments?) {
    (self.faults, self.maps, self.reach, self.documents) = (faults, maps, reach, documents)
  }

  /// Changes a board on all servers; nil removes the document. `change` applies it to this server and returns the answer.
  func put(_ bytes: [UInt8]?, _ kind: Kind, of run: String, _ change: @escaping @Sendable () -> Response) -> Reply {
    guard let documents else { return .answer(change()) }
    return .ask { [self] (_: any StoreReader) throws(StoreError) in
      let key = Key(kind: kind.rawValue, run: ExactText(run))
      return try followed.withLock { (followed) throws(StoreError) in
        if let bytes {
          followed[key] = try documents.put(bytes, key.kind, of: run)
        } else {
          try documents.remove(key.kind, of: run)
          followed[key] = nil
        }
        return change()
      }
    }
  }

  /// Clears the boards of one run or of all, on all servers; `answer` gets the numbers of removed rules and maps.
  func clear(run: String?, _ answer: @escaping @Sendable (_ faults: Int, _ maps: Int) -> Response) -> Reply {
    guard let documents else { return .answer(answer(faults.clear(run: run), maps.clear(run: run))) }
    return .ask { [self] (_: any StoreReader) throws(StoreError) in
      try followed.withLock { (followed) throws(StoreError) in
        try documents.clear(run: run)
        followed = followed.filter { run != nil && !$0.key.run.text.isExactly(run) }
        return answer(faults.clear(run: run), maps.clear(run: run))
      }
    }
  }

  /// Applies what the servers have set; `read` returns all existing documents.
  func follow(_ read: () throws(StoreError) -> [SharedDocuments.Document]) throws(StoreError) {
    try followed.withLock { (followed) throws(StoreError) in
      let found = Dictionary(try read().map { (Key(kind: $0.kind, run: ExactText($0.run)), $0) }) { $1 }
      for (key, document) in found where followed[key] != document.change { follow(document.bytes, key) }
      for key in followed.keys where found[key] == nil { follow(nil, key) }
      followed = found.mapValues(\.change)
    }
  }

  /// Applies a document; one of a newer server that this one cannot read leaves the board unchanged.
  private func follow(_ bytes: [UInt8]?, _ key: Key) {
    switch Kind(rawValue: key.kind) {
    case .faults:
      guard let bytes else { return faults.replace([], of: key.run.text) }
      do {
        let rules = try FaultRule.list(try JSONValue(parsing: bytes.span), owner: key.run.text, reach)
        faults.replace(rules, of: key.run.text, keepsCounts: true)
      } catch { return }
    case .map:
      guard let bytes else { return _ = maps.clear(run: key.run.text) }
      do throws(MapError) { maps.put(try MapBoard.Map(geoJSON: bytes), of: key.run.text) } catch { return }
    case nil: break
    }
  }
}
