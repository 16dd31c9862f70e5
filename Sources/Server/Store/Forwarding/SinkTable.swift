import Base
import Database

/// The sinks of this store and their positions. Owned by the writer.
///
/// A sink is identified by its name. One that was removed from the configuration keeps its position, so that it can continue
/// later, but retention does not wait for it.
final class SinkTable {
  private struct Sink {
    let id: Int64
    let name: String
    var position: SinkPosition
  }

  private let connection: StoreConnection
  private let board: ArrivalBoard?
  private var sinks: [Sink] = []

  /// Adds the sinks that are new.
  init(
    on connection: StoreConnection, _ configuration: StoreConfiguration, _ partitions: PartitionSet,
    _ board: ArrivalBoard?
  ) throws(DatabaseError) {
    self.connection = connection
    self.board = board
    for name in configuration.sinks {
      if let id = try SinkTable.number(of: name, on: connection) {
        sinks.append(Sink(id: id, name: name, position: try connection.position(ofSink: id)))
      } else {
        sinks.append(try make(name, configuration, partitions))
      }
    }
  }

  private static func number(of name: String, on connection: StoreConnection) throws(DatabaseError) -> Int64? {
    try connection.with("SELECT id FROM sinks WHERE name = ?1") { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, text: name.utf8.span)
      return try row.step() ? row.integer(at: 0) : nil
    }
  }

  private func make(
    _ name: String, _ configuration: StoreConfiguration, _ partitions: PartitionSet
  ) throws(DatabaseError) -> Sink {
    try connection.database.transaction(.immediate) { () throws(DatabaseError) in
      try connection.run("INSERT INTO sinks(name) VALUES(?1)", text: name)
      var sink = Sink(id: connection.database.lastInsertedRowID, name: name, position: SinkPosition())
      guard !configuration.sinksBeginAtStart else { return sink }
      for partition in partitions.live { try advance(&sink, to: partition.nextRow - 1, in: partition.id) }
      return sink
    }
  }

  /// Saves the advance and returns the number of partitions whose position changed.
  func advance(_ advance: SinkAdvance, _ partitions: PartitionSet) throws(DatabaseError) -> Int {
    guard let index = sinks.firstIndex(where: { $0.name == advance.sink }) else { return 0 }
    var moved = 0
    for partition in partitions.live {
      let row = advance.position.row(in: partition.id)
      guard row > sinks[index].position.row(in: partition.id) else { continue }
      try self.advance(&sinks[index], to: row, in: partition.id)
      moved += 1
    }
    for refusal in advance.refusals { try keep(refusal, of: sinks[index]) }
    try connection.run(
      "UPDATE sinks SET refused = ?2, refused_in_row = ?3 WHERE id = ?1 AND (refused, refused_in_row) <> (?2, ?3)",
      sinks[index].id, advance.refused.total, advance.refused.inRow)
    return moved
  }

  private func advance(_ sink: inout Sink, to row: Int64, in partition: Int64) throws(DatabaseError) {
    try connection.run(
      "INSERT INTO sink_positions(part, sink, row) VALUES(?1, ?2, ?3) ON CONFLICT DO UPDATE SET row = excluded.row",
      partition, sink.id, row)
    sink.position.advance(to: row, in: partition)
  }

  private func keep(_ refusal: SinkRefusal, of sink: Sink) throws(DatabaseError) {
    try connection.with(
      "INSERT INTO sink_refusals(sink, at, run, device, recorded_at, uuid, reason) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)"
    ) { (statement: inout Statement) throws(DatabaseError) in
      let uuid = refusal.key.uuid.bytes
      var row = statement.start()
      row.bind(1, sink.id)
      row.bind(2, refusal.at)
      row.bind(3, text: refusal.device.run.utf8.span)
      row.bind(4, text: refusal.device.name.utf8.span)
      row.bind(5, refusal.key.recordedAt)
      row.bind(6, blob: uuid.span)
      row.bind(7, text: refusal.reason.utf8.span)
      try row.run()
    }
  }
}

/// Queries of retention.
extension SinkTable {
  func isWaiting(for partition: PointPartition) -> Bool {
    sinks.contains { $0.position.row(in: partition.id) < partition.nextRow - 1 }
  }

  /// Sets the number of days that would be deleted if no sink were waiting for them.
  func hold(_ count: Int) { board?.hold(count) }

  /// Counts the unread records of a partition that is deleted to free space.
  func lose(_ partition: PointPartition) {
    for sink in sinks {
      let unsent = partition.nextRow - 1 - sink.position.row(in: partition.id)
      if unsent > 0 { board?.lose(unsent, of: sink.name) }
    }
  }
}

extension StoreConnection {
  func position(ofSink id: Int64) throws(DatabaseError) -> SinkPosition {
    try with("SELECT part, row FROM sink_positions WHERE sink = ?1") {
      (statement: inout Statement) throws(DatabaseError) in
      var position = SinkPosition()
      var row = statement.start()
      row.bind(1, id)
      while try row.step() { position.advance(to: row.integer(at: 1), in: row.integer(at: 0)) }
      return position
    }
  }
}
