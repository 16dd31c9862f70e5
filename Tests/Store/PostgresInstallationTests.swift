import Base
import Database
import PostgresStore
import Store
import Support
import Testing

/// Tables of a database: made, found, refused, and what stands in them.
@Suite(.enabled(if: PostgresCluster.isThere, "install the package postgresql"))
struct PostgresInstallationTests {
  private let place: String

  init() throws { place = try PostgresCluster.shared.get().place() }

  private func store() throws -> PostgresStore { try PostgresStore(at: place, StoreConfiguration(folder: "")) }

  private func code(_ body: () throws -> Void) -> StoreError.Code? {
    do { try body() } catch let error as StoreError { return error.code } catch { Issue.record("\(error)") }
    return nil
  }

  @Test func aNewerSchemaIsRefusedByAnOldNodeAlsoWhileItRuns() throws {
    let running = try store()
    #expect(running.apply([.ingest(Sample.batch([1]))], now: Sample.noon) == [.ingested(IngestReceipt(accepted: 1))])
    let administrator = try PostgresConnection(to: place)
    try administrator.run("UPDATE installation SET version = \(PostgresSchema.version + 1)")
    #expect(running.apply([.ingest(Sample.batch([2]))], now: Sample.noon) == [.unavailable(.unreachable)])
    #expect(code { _ = try store() } == .newerVersion)
    #expect(code { _ = try PostgresInstallation.openToRead(place) } == .newerVersion)
    try administrator.run("UPDATE installation SET version = \(PostgresSchema.version)")
    _ = running.maintain(now: Sample.noon.advanced(byMilliseconds: 10_000))
    #expect(running.outage == nil)
    #expect(try administrator.perform("SELECT count(*) FROM points").integer(0, 0) == 1)
  }

  @Test func otherTablesAreNotTouched() throws {
    let other = try PostgresConnection(to: place)
    let schema = try other.perform("SELECT current_setting('search_path')").text(0, 0)
    try other.run("CREATE SCHEMA \(schema)")
    try other.run("CREATE TABLE theirs(a int)")
    #expect(code { _ = try store() } == .foreignFile)
    #expect(code { _ = try PostgresInstallation.openToRead(place) } == .foreignFile)
    #expect(try other.perform("SELECT count(*) FROM theirs").integer(0, 0) == 0)
    #expect(
      code { _ = try PostgresStore(at: "postgresql:///x?host=/nowhere", StoreConfiguration(folder: "")) }
        == .unreachable)
  }

  @Test(arguments: [
    ("Test_", "", "test_"), ("%22Test_", "%22", "Test_"),
    ("%22A%5C%20%22%22b%22%22,%5C%20test_", "%22", #"A "b", test_"#),
    ("%22test_", "%22,public", "test_"),
  ])
  func aSchemaHasAnyName(start: String, end: String, name: String) throws {
    let place = place.replacing("%3Dtest_", with: "%3D" + start) + end
    let number = try #require(self.place.split(separator: "_").last)
    let store = try PostgresStore(at: place, StoreConfiguration(folder: ""))
    #expect(store.apply([.ingest(Sample.batch([1]))], now: Sample.noon) == [.ingested(IngestReceipt(accepted: 1))])
    let reader = try PostgresInstallation.openToRead(place)
    #expect(try reader.perform("SELECT current_schema()").text(0, 0) == name + number)
    #expect(try reader.perform("SELECT count(*) FROM points WHERE used_bytes() > 0").integer(0, 0) == 1)
  }

  /// The statement of the message is all that is missing.
  @Test(arguments: [false, true]) func aMissingRightIsNamedWithItsStatement(hasSchema: Bool) throws {
    let owner = try PostgresConnection(to: place)
    let schema = try owner.perform("SELECT current_setting('search_path')").text(0, 0)
    let role = "guest_\(schema)"
    try owner.run("CREATE ROLE \(role) LOGIN")
    if hasSchema { try owner.run("CREATE SCHEMA \(schema)") }
    let guest = place + "&user=\(role)"
    let statement =
      "GRANT " + (hasSchema ? "USAGE, CREATE ON SCHEMA \(schema)" : "CREATE ON DATABASE postgres") + " TO \(role)"
    let error = #expect(throws: StoreError.self) { _ = try PostgresStore(at: guest, StoreConfiguration(folder: "")) }
    #expect(error?.message.hasSuffix(": \(statement)") == true, "\(error?.message ?? "")")
    if hasSchema {
      let reading = #expect(throws: StoreError.self) { _ = try PostgresInstallation.openToRead(guest) }
      #expect(
        reading?.message.hasSuffix(": GRANT USAGE ON SCHEMA \(schema) TO \(role)") == true, "\(reading?.message ?? "")")
    }
    try owner.run(statement)
    let store = try PostgresStore(at: guest, StoreConfiguration(folder: ""))
    #expect(store.apply([.ingest(Sample.batch([1]))], now: Sample.noon) == [.ingested(IngestReceipt(accepted: 1))])
  }

  /// With every right on them another user could not make a partition, and found out a day later.
  @Test(arguments: [false, true]) func tablesOfAnotherUserAreToldAsSuch(hasRights: Bool) throws {
    _ = try store()
    let owner = try PostgresConnection(to: place)
    let schema = try owner.perform("SELECT current_setting('search_path')").text(0, 0)
    let role = "other_\(schema)"
    try owner.run("CREATE ROLE \(role) LOGIN")
    if hasRights {
      try owner.run(
        "GRANT USAGE, CREATE ON SCHEMA \(schema) TO \(role); GRANT ALL ON ALL TABLES IN SCHEMA \(schema) TO \(role)")
    }
    let other = place + "&user=\(role)"
    let error = #expect(throws: StoreError.self) { _ = try PostgresStore(at: other, StoreConfiguration(folder: "")) }
    let message = error?.message ?? ""
    #expect(message.contains("the tables belong to the user "), "\(message)")
    try owner.run(String(try #require(message.split(separator: "run: ").last)))
    let store = try PostgresStore(at: other, StoreConfiguration(folder: ""))
    #expect(store.apply([.ingest(Sample.batch([1]))], now: Sample.noon) == [.ingested(IngestReceipt(accepted: 1))])
  }

  @Test func aDatabaseThatTakesNoWritesIsToldAsSuch() throws {
    let standby = place.replacing("&options=", with: "&options=-cdefault_transaction_read_only%3Don%20")
    let error = #expect(throws: StoreError.self) { _ = try PostgresStore(at: standby, StoreConfiguration(folder: "")) }
    #expect(error?.message.contains("check that the server runs and takes writes") == true, "\(error?.message ?? "")")
  }

  /// As of a later version whose tables are the same.
  @Test func aCommandOfAnUnknownKindIsReportedOnceAndKept() throws {
    var reported: [UnknownOrder] = []
    let store = try PostgresStore(at: place, StoreConfiguration(folder: "")) { reported.append($0) }
    let order = QueuedCommand(
      target: .everyone(run: ""), command: Array("[]".utf8), expiresAt: Sample.noon.advanced(byMilliseconds: Sample.day)
    )
    guard case .queued(let id, _) = store.apply(.queue(order)) else { throw ChildProcess.Failure("not queued") }
    let administrator = try PostgresConnection(to: place)
    try administrator.run("UPDATE orders SET kind = 7")
    for minute in 0..<3 {
      while store.maintain(now: Sample.noon.advanced(byMilliseconds: Int64(minute) * 60_000)) {}
    }
    #expect(reported == [UnknownOrder(id: id, kind: 7)])
    #expect(store.apply(.ingest(Sample.batch([1]))) == .ingested(IngestReceipt(accepted: 1)))
    #expect(try administrator.perform("SELECT count(*) FROM orders WHERE is_open").integer(0, 0) == 1)
  }

  /// Records that readers see.
  private func seen(_ reader: PostgresConnection) throws -> Int64 {
    try reader.perform("SELECT count(*) FROM points WHERE arrived_in < arrival_horizon()").integer(0, 0)
  }

  /// As after pg_dump and pg_restore: the transactions of the new cluster have lower numbers.
  @Test func whatComesAfterARestoreIsBehindWhatIsThere() throws {
    _ = try store().apply([.ingest(Sample.batch([1]))], now: Sample.noon)
    let reader = try PostgresConnection(to: place)
    try reader.run("UPDATE points SET arrived_in = 1000000000000; UPDATE installation SET cluster = 1")
    _ = try store().apply([.ingest(Sample.batch([2]))], now: Sample.noon)
    let arrivals = try reader.perform("SELECT arrived_in FROM points ORDER BY recorded_at")
    #expect(arrivals.integer(0, 0) < arrivals.integer(1, 0))
    // Other tests write into the same cluster, and may hold the horizon back for a moment.
    while try seen(reader) < 2 {}
    // Once, not at each start.
    _ = try store()
    #expect(try reader.perform("SELECT arrival_base FROM installation").integer(0, 0) == 1_000_000_000_000)
  }

  @Test func aTransactionThatStillRunsHidesWhatCameBehindIt() throws {
    let store = try store()
    _ = store.apply([.ingest(Sample.batch([1]))], now: Sample.noon)
    let reader = try PostgresConnection(to: place)
    while try seen(reader) < 1 {}
    let slow = try PostgresConnection(to: place)
    try slow.run("BEGIN; SELECT pg_current_xact_id()")
    _ = store.apply([.ingest(Sample.batch([2]))], now: Sample.noon)
    #expect(try seen(reader) == 1)
    try slow.run("COMMIT")
    while try seen(reader) < 2 {}
  }

  @Test func recordsAreShownInNumbers() throws {
    let json =
      #"{"odometer":5.5,"battery":{"level":0.25},"coords":{"altitude":41.5},"activity":{"type":"still"},"x":"\u0000"}"#
    let bytes = Array(json.utf8)
    let point = Point(
      recordedAt: Sample.noon.millisecondsSince1970, uuid: Sample.uuid(1), latitude: 48.25, longitude: -11.5,
      record: 0..<bytes.count)
    let batch = IngestBatch(device: Sample.device(), receivedAt: Sample.noon, bytes: bytes, points: [point])
    #expect(try store().apply([.ingest(batch)], now: Sample.noon) == [.ingested(IngestReceipt(accepted: 1))])
    let reader = try PostgresConnection(to: place)
    let view = try reader.perform(
      "SELECT latitude, altitude, odometer, battery, activity, recorded_at = '2026-11-20T12:00:00Z' FROM locations")
    #expect(view.optionalDouble(0, 0) == 48.25 && view.optionalDouble(0, 1) == 41.5)
    #expect(view.optionalDouble(0, 2) == 5.5 && view.optionalDouble(0, 3) == 0.25)
    #expect(view.text(0, 4) == "still" && view.flag(0, 5))
  }

  @Test func timesAreShownInAllYears() throws {
    let times: [(Int64, String)] = [
      (-62_135_596_800_000, "0001-01-01 00:00:00"), (-62_135_596_799_999, "0001-01-01 00:00:00.001"),
      (-86_399_999, "1969-12-31 00:00:00.001"), (-1, "1969-12-31 23:59:59.999"), (1, "1970-01-01 00:00:00.001"),
      (253_402_300_799_001, "9999-12-31 23:59:59.001"), (253_402_300_799_999, "9999-12-31 23:59:59.999"),
    ]
    let points = ([0, 253_402_300_800_000, .max] + times.map(\.0)).enumerated().map { number, time in
      Point(recordedAt: time, uuid: Sample.uuid(number), record: 0..<2)
    }
    let batch = IngestBatch(device: Sample.device(), receivedAt: Sample.noon, bytes: Array("{}".utf8), points: points)
    _ = try store().apply([.ingest(batch)], now: Sample.noon)
    let reader = try PostgresConnection(to: place)
    for zone in ["UTC", "Europe/Berlin"] {
      try reader.run("SET TimeZone = '\(zone)'")
      let view = try reader.perform(
        "SELECT (recorded_at AT TIME ZONE 'UTC')::text FROM locations WHERE recorded_at IS NOT NULL ORDER BY recorded_at"
      )
      #expect((0..<view.count).map { view.text($0, 0) } == times.map(\.1))
    }
    #expect(try reader.perform("SELECT count(*) FROM locations WHERE recorded_at IS NULL").integer(0, 0) == 3)
  }

  /// A store of the second version, whose view has `geography` as with PostGIS.
  @Test func theViewOfAnEarlierVersionIsReplacedAndKeepsItsColumns() throws {
    _ = try store()
    let administrator = try PostgresConnection(to: place)
    try administrator.run(
      """
      CREATE TYPE geography AS ENUM ('here');
      CREATE FUNCTION st_makepoint(float8, float8) RETURNS text LANGUAGE sql AS $$ SELECT 'here' $$;
      CREATE FUNCTION st_setsrid(text, int) RETURNS text LANGUAGE sql AS $$ SELECT $1 $$;
      CREATE OR REPLACE VIEW locations AS SELECT base.*, 'here'::geography AS geography
      FROM (SELECT run, device, uuid, NULL::timestamptz AS recorded_at, received_at, latitude, longitude, accuracy, speed, heading,
        altitude, odometer, battery, is_moving, event, activity, json FROM (\(try view(administrator))) AS old) AS base;
      CREATE VIEW theirs AS SELECT geography, recorded_at FROM locations;
      UPDATE installation SET version = 2
      """)
    _ = try store().apply([.ingest(Sample.batch([1]))], now: Sample.noon)
    let theirs = try administrator.perform("SELECT recorded_at IS NOT NULL FROM theirs")
    #expect(theirs.count == 1 && theirs.flag(0, 0))
  }

  private func view(_ connection: PostgresConnection) throws -> String {
    try connection.perform("SELECT rtrim(pg_get_viewdef('locations'::regclass), ';')").text(0, 0)
  }

  @Test func othersHearOfAGroup() throws {
    let store = try store()
    let listener = try PostgresConnection(to: place)
    let schema = try listener.perform("SELECT current_schema()").text(0, 0)
    try listener.run("LISTEN \(schema)")
    let order = QueuedCommand(
      target: .everyone(run: ""), command: [1], expiresAt: Sample.noon.advanced(byMilliseconds: Sample.day))
    _ = store.apply([.ingest(Sample.batch([1])), .queue(order)], now: Sample.noon)
    let kinds: ChangeKinds = [.records, .commands]
    #expect(try listener.notification(within: 60_000) == "\(String(store.node, radix: 16)) \(kinds.rawValue)")
    #expect(try listener.notification(within: 0) == nil)
  }

  @Test func aPipelineThatFailsCanBeUsedAgain() throws {
    let connection = try PostgresConnection(to: place)
    try connection.send("SELECT 1::int8")
    try connection.send("SELECT 1 / 0")
    try connection.send("SELECT 2::int8")
    let failure = try #require(throws: PostgresConnection.Failure.self) { _ = try connection.flush() }
    #expect(failure.state == "22012" && !failure.isLost)
    try connection.send("SELECT 2::int8")
    try connection.send("SELECT 1::int8")
    #expect(try connection.flush().map { $0.integer(0, 0) } == [2, 1])
  }

  /// More than the buffers of a socket hold, in both directions at once.
  @Test func aLongPipelineDoesNotBlockItself() throws {
    let connection = try PostgresConnection(to: place)
    let long = [UInt8](repeating: 7, count: 1 << 20)
    for _ in 0..<32 {
      var arguments = PostgresArguments()
      arguments.add(blob: long)
      try connection.send("SELECT $1::bytea", arguments)
    }
    #expect(try connection.flush().allSatisfy { $0.blob(0, 0) == long })
  }
}
