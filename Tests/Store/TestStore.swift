import Base
import Database
import Store
import Support
import Testing

@testable import PostgresStore

/// What keeps a store. A test of what every store promises takes each of them as its argument.
enum StoreKind: String, CaseIterable, Codable, Sendable {
  case sqlite, postgres

  /// Ends the test where the server of the kind is not installed.
  func skipWhereMissing() throws {
    if self == .postgres && !PostgresCluster.isThere { try Test.cancel("install the package postgresql") }
  }
}

/// Where a store of some kind is.
struct StorePlace: Codable, Sendable {
  let kind: StoreKind
  /// A folder, `:memory:`, or the URI of a database.
  let path: String

  func open(
    _ change: (inout StoreConfiguration) -> Void = { _ in }, commitTimer: CommitTimer? = nil, board: ArrivalBoard? = nil
  ) throws(StoreError) -> any Store {
    var configuration = StoreConfiguration(folder: path)
    change(&configuration)
    return switch kind {
    case .sqlite: try SQLiteStore(configuration, commitTimer: commitTimer, board: board)
    case .postgres: try PostgresStore(at: path, configuration, commitTimer: commitTimer, board: board)
    }
  }

  func openReader() throws(StoreError) -> any StoreReader {
    switch kind {
    case .sqlite: try SQLiteReader(folder: path)
    case .postgres: try PostgresReader(to: path)
    }
  }
}

/// A store that begins empty, in a place of its own, and can be closed and opened again.
final class TestStore: Store {
  let place: StorePlace
  let board = ArrivalBoard()
  private var configuration: (inout StoreConfiguration) -> Void
  private let folder: TemporaryFolder?
  private var store: (any Store)?
  private var database: PostgresReader?

  /// One that `isKept` can be opened again: SQLite has it in a folder, and not in memory.
  init(
    _ kind: StoreKind, isKept: Bool = false, _ configuration: @escaping (inout StoreConfiguration) -> Void = { _ in }
  ) throws {
    try kind.skipWhereMissing()
    folder = kind == .sqlite && isKept ? try TemporaryFolder() : nil
    let path = kind == .postgres ? try PostgresCluster.shared.get().place() : folder?.path ?? ":memory:"
    place = StorePlace(kind: kind, path: path)
    self.configuration = configuration
    store = try place.open(configuration, board: board)
  }

  /// Closes it and opens it again, with another configuration when one is given.
  func reopen(_ configuration: ((inout StoreConfiguration) -> Void)? = nil) throws {
    close()
    if let configuration { self.configuration = configuration }
    store = try place.open(self.configuration, board: board)
  }

  /// For everything that was written until now: a transaction of another test may hold arrivals back for a moment.
  func reader() throws -> any StoreReader {
    guard place.kind == .postgres else { return try #require(store as? SQLiteStore).open() }
    let reader = try database ?? PostgresReader(to: place.path)
    database = reader
    while try reader.find(
      "SELECT EXISTS (SELECT FROM points WHERE arrived_in >= arrival_horizon())", [], { $0.optionalFlag(0) }
    ) != [false] {}
    return reader
  }

  /// Where those end who read behind the writer. Of a database, servers say so that follow it.
  func marks() throws -> [ArrivalMark] {
    if place.kind == .postgres {
      _ = try reader()
      let last = try database?.find(
        "SELECT arrived_in, n FROM points ORDER BY arrived_in DESC, n DESC LIMIT 1", []
      ) { ArrivalCursor(group: $0.integer(0), row: $0.integer(1)) }
      if let last = last?.first { board.publish(end: last) }
    }
    return board.marks
  }

  /// Rows of a table, also of those that no answer shows any more. Points are those of the only day.
  func rows(_ table: String) throws -> Int64 {
    if place.kind == .postgres {
      _ = try reader()
      return try #require(try database?.find("SELECT count(*) FROM \(table)", []) { $0.integer(0) }.first)
    }
    let file = try Connection(path: place.path + "/store.db", access: .readOnly)
    return try file.integer("SELECT count(*) FROM \(table == "points" ? "points_1" : table)")
  }

  /// What is wrong with what is stored.
  func problems() throws -> [String] {
    if place.kind == .sqlite { return try #require(store as? SQLiteStore).open().problems() }
    let strays = try rows(
      "points LEFT JOIN parameters ON day = recorded_at / 86400000 AND digest = parameters WHERE json IS NULL AND parameters IS NOT NULL"
    )
    return strays == 0 ? [] : ["\(strays) records have lost their parameters"]
  }

  func apply(_ group: [StoreJob], now: WallInstant) -> [StoreResult] {
    store?.apply(group, now: now) ?? group.map { _ in .unavailable(.stopping) }
  }

  func maintain(now: WallInstant) -> Bool { store?.maintain(now: now) ?? false }

  var outage: StoreOutage? { store?.outage }
  var outageDetail: String? { store?.outageDetail }
  var evictedFromQuarantine: Int { store?.evictedFromQuarantine ?? 0 }
  func damageFound() { store?.damageFound() }

  func close() {
    store?.close()
    // The lock of the folder goes with the object.
    store = nil
  }
}
