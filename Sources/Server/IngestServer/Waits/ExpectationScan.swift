import Base
import Contract
import JSON
import Store

/// The scan for one expectation: what was found, and how far the store or the journal has been read. Advanced page by page on a
/// reader thread, or on that of the journal; the waiting session holds it in between.
package struct ExpectationScan: Sendable {
  private static let recordsAtOnce = 256
  private static let requestsAtOnce = 128
  private static let unsettledPages = 16
  private static let linesAtOnce = 1_000
  /// The lines of the ledger that one scan examines, so that other queries can run in between.
  private static let linesMax = 20_000

  private(set) var tally: Tally
  /// Whether everything that existed at the beginning was examined.
  private(set) var isScanned: Bool

  /// The earliest expiry of a queued command, of which no event notifies.
  private(set) var changesAt: Int64?
  /// Matching requests that the journal may lack.
  private(set) var gaps = RequestGaps()

  private var cursor: ArrivalCursor?
  private var sequence: Int64 = 0
  private var commandCursor: CommandCursor?

  /// Whether the ledger was too long for one scan, and the next continues where this one ended.
  var isMidway: Bool { commandCursor != nil }

  init(_ expectation: ContentExpectation, _ bounds: TallyBounds, onlyNew: Bool) {
    tally = Tally(expectation, bounds)
    // New records are passed one by one; for requests and commands there is only the complete list.
    isScanned = onlyNew && expectation.kind == .records
  }

  private var expectation: ContentExpectation { tally.expectation }

  /// Makes later arrivals count as too late.
  mutating func limit(to instant: Int64) { tally.bounds.limit = instant }

  /// Called when more arrived than could be kept, or something was deleted: everything is examined again, and only what still
  /// exists counts.
  mutating func restart() {
    tally = Tally(expectation, tally.bounds)
    gaps = RequestGaps()
    (cursor, sequence, commandCursor, isScanned) = (nil, 0, nil, false)
  }
}

/// The scan of records.
extension ExpectationScan {
  mutating func scanRecords(_ batches: [IngestBatch], _ reader: any StoreReader) throws(StoreError) {
    if !isScanned { try scan(reader) }
    for batch in batches where concerns(batch.device) { try follow(batch, reader) }
    if isScanned { try scanUnsettled(reader) }
  }

  /// Examines records that are stored but not reported yet. Another program's open transaction may delay the report for hours.
  private mutating func scanUnsettled(_ reader: any StoreReader) throws(StoreError) {
    var next = try reader.settledArrivals()
    var pages = 0
    while let cursor = next, pages < Self.unsettledPages {
      let page = try reader.arrivals(selection, after: cursor, limit: Self.recordsAtOnce)
      for record in page.elements { note(record) }
      next = page.next
      pages += 1
    }
    // The rest is examined like all stored records.
    if let next { (cursor, isScanned) = (next, false) }
  }

  private var selection: RecordSelection {
    let device = expectation.device.map { DeviceIdentity(run: expectation.run, name: $0) }
    return RecordSelection(KeySelection(run: expectation.run, device: device), receivedFrom: tally.bounds.from)
  }

  private func concerns(_ device: DeviceIdentity) -> Bool {
    device.run == expectation.run && (expectation.device == nil || device.name == expectation.device)
  }

  private mutating func scan(_ reader: any StoreReader) throws(StoreError) {
    let page = try reader.arrivals(selection, after: cursor, limit: Self.recordsAtOnce)
    for record in page.elements { note(record) }
    cursor = page.next
    isScanned = page.next == nil
  }

  private mutating func note(_ record: ArrivedRecord) {
    let occurrence = Occurrence(
      place: .record(device: record.device.name, record.key), at: record.receivedAt, cursor: record.cursor)
    guard tally.covers(occurrence) else { return }
    let words = { "record \(record.key.uuid.text) of \(record.device.name)" }
    let document = Self.document(record.record)
    if document == nil, expectation.looksInside {
      if occurrence.at <= tally.bounds.limit { gaps.noteCut("\(words()): \(Self.unread)", at: occurrence.at) }
      return
    }
    let differences = expectation.differences(document ?? .null, event: record.event)
    if differences.isEmpty { return tally.note(occurrence) }
    tally.miss(occurrence, differences, event: record.event, words)
  }

  /// Looks up matching records, because the batch does not tell which of them were stored before.
  private mutating func follow(_ batch: IngestBatch, _ reader: any StoreReader) throws(StoreError) {
    for point in batch.points {
      let key = PointKey(recordedAt: point.recordedAt, uuid: point.uuid)
      let document = Self.document(Array(batch.bytes[point.record]))
      let differences = document.map { expectation.differences($0, event: point.event) } ?? []
      guard !differences.isEmpty else {
        if let stored = try reader.arrival(key, of: batch.device) { note(stored) }
        continue
      }
      let occurrence = Occurrence(
        place: .record(device: batch.device.name, key), at: batch.receivedAt.millisecondsSince1970)
      tally.miss(occurrence, differences, event: point.event) { "record \(key.uuid.text) of \(batch.device.name)" }
    }
  }

  /// Returns nil for a document that is no JSON, or too deep to look into.
  static func document(_ bytes: [UInt8]) -> JSONValue? {
    var reader = JSONReader(bytes.span)
    do throws(JSONError) { return try JSONValue(from: &reader, reading: .lenient) } catch { return nil }
  }

  private static let unread = "it has more than \(JSONLimits.standard.maxDepth) objects and lists in each other"
}

/// The scan of requests.
extension ExpectationScan {
  mutating func scanRequests(
    _ journal: Journal, _ routes: RecordedRoutes, share: Double = 1
  ) throws(StoreError) {
    let filter = JournalFilter(run: expectation.run, device: expectation.device)
    let page = try journal.requests(matching: filter, after: sequence, limit: Self.requestsAtOnce)
    for request in page.elements {
      let occurrence = Occurrence(place: .request(request.sequence), at: request.entry.receivedAt)
      guard tally.covers(occurrence) else { continue }
      let document = request.document(routes)
      if let unknown = expectation.unknown(in: document, cut: { request.cutContents(routes) }) {
        if occurrence.at <= tally.bounds.limit { gaps.noteCut("\(request.words): \(unknown)", at: occurrence.at) }
        continue
      }
      let differences = expectation.differences(document)
      if differences.isEmpty { tally.note(occurrence) } else { tally.miss(occurrence, differences) { request.words } }
    }
    isScanned = page.next == nil
    sequence = page.next ?? page.elements.last?.sequence ?? sequence
    guard isScanned else { return }
    gaps.missing = try journal.gaps(of: expectation.run, from: max(tally.bounds.from, tally.bounds.after?.at ?? .min))
    gaps.share = share
  }
}

extension JournaledRequest {
  /// `request 17 (POST /locations of phone-1)`.
  var words: String {
    let owner = entry.device.map { " of \($0)" } ?? ""
    return "request \(sequence) (\(entry.method) \(entry.path.prefix(80))\(owner))"
  }

  /// Returns the document for conditions: the fields of `GET requests`, with header names in lower case, and JSON contents as
  /// values.
  func document(_ routes: RecordedRoutes) -> JSONValue {
    var head = JSONObject()
    for line in String(decoding: entry.head, as: UTF8.self).split(separator: "\n") {
      let name = line.prefix { $0 != ":" }
      head[name.lowercased()] = .string(String(line[name.endIndex...].dropFirst(2)))
    }
    var object: JSONObject = [
      "run": .string(entry.run), "method": .string(entry.method), "path": .string(entry.path),
      "status": .integer(Int64(entry.status)), "head": .object(head),
    ]
    if let device = entry.device { object["device"] = .string(device) }
    if let operation = routes.route(of: entry.method, entry.path)?.name { object["operation"] = .string(operation) }
    if let fault = entry.fault { object["fault"] = .string(fault) }
    for (key, content) in [("body", entry.body), ("answer", entry.answer)] where !content.isEmpty {
      object[key] = ExpectationScan.document(content) ?? .string(String(decoding: content, as: UTF8.self))
    }
    return .object(object)
  }
}

/// The scan of commands.
extension ExpectationScan {
  mutating func scanCommands(_ reader: any StoreReader, now: WallInstant) throws(StoreError) {
    let device = expectation.device.map { DeviceIdentity(run: expectation.run, name: $0) }
    // States change, so everything is counted again each time.
    if !isMidway { (tally, changesAt) = (Tally(expectation, tally.bounds), nil) }
    var seen = 0
    repeat {
      let page = try reader.commands(
        run: expectation.run, device: device, now: now, after: commandCursor, limit: Self.linesAtOnce)
      for line in page.elements { note(line) }
      seen += page.elements.count
      commandCursor = page.next
    } while commandCursor != nil && seen < Self.linesMax
    isScanned = commandCursor == nil
  }

  private mutating func note(_ line: CommandProgress) {
    if line.state == .queued { changesAt = min(changesAt ?? .max, line.expiresAt) }
    let occurrence = Occurrence(place: .command(line.id, device: line.device), at: expectation.instant(of: line))
    var writer = JSONWriter(capacity: 256)
    line.write(to: &writer)
    let differences = expectation.differences(Self.document(writer.bytes) ?? .null, state: line.state)
    if differences.isEmpty { return tally.note(occurrence) }
    tally.miss(occurrence, differences) {
      let owner = line.device.map { " of \($0)" } ?? ""
      return "command \(line.id)\(owner) \(String(decoding: line.command.prefix(80), as: UTF8.self))"
    }
  }
}
