import Base
import JSON
import PostgresStore
import Store
import Synchronization

/// What operators set at one server and all servers of a store follow: rules of faults and maps of the live page, one document for each
/// run. Where the store is not shared they are in the memory of the server alone.
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
  /// Nil where the store is not shared.
  private let documents: SharedDocuments?
  /// The change of each document that this server follows. Locked as long as one changes, here and in the database: what a feed has read
  /// meanwhile would be older.
  private let followed = Mutex<[Key: Int64]>([:])

  init(_ faults: FaultBoard, _ maps: MapBoard, _ reach: HandshakeFaultScope, _ documents: SharedDocuments?) {
    (self.faults, self.maps, self.reach, self.documents) = (faults, maps, reach, documents)
  }

  /// Changes a board of all servers; nil takes the document away. `change` is that of this server, and gives the answer.
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

  /// Clears the boards of a run, or all, everywhere; `answer` gets how many rules and maps there were.
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

  /// Follows what the servers have set: all documents that there are, as `read` finds them.
  func follow(_ read: () throws(StoreError) -> [SharedDocuments.Document]) throws(StoreError) {
    try followed.withLock { (followed) throws(StoreError) in
      let found = Dictionary(try read().map { (Key(kind: $0.kind, run: ExactText($0.run)), $0) }) { $1 }
      for (key, document) in found where followed[key] != document.change { follow(document.bytes, key) }
      for key in followed.keys where found[key] == nil { follow(nil, key) }
      followed = found.mapValues(\.change)
    }
  }

  /// What a newer server has set and this one cannot read stays as it was.
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
