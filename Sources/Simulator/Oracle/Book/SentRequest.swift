import Base
import Contract
import JSON
import Upload

/// A request that has not ended for the device.
struct SentRequest {
  let id: UInt64
  let purpose: OutgoingRequest.Purpose
  let sentAt: MonotonicInstant
  let timeout: Nanoseconds
  let bodyBytes: Int
  /// The rows of the records in its body, in order.
  var rows: [Int64] = []
  /// Whether its record is the body itself.
  var hasNoRoot = false
  /// The number of records in its body, including those that are in no queue.
  var recordCount = 0
  /// Whether it is not the first of its flush.
  var followsSuccess = false
  /// Whether the server has answered.
  var isServed = false

  /// Longer than a run in real time needs from taking records, or a token, to sending the request with them.
  static let preparation = Nanoseconds.seconds(5)

  /// Reports whether the watchdog has ended it and its flush; its answer may still come (SDK §9.2).
  func isGivenUp(at instant: MonotonicInstant) -> Bool { instant - sentAt >= timeout + DocumentedLimits.watchdogGrace }
}

/// Findings about the records of a request.
struct RequestFindings {
  /// The body has none of the forms in which records are sent.
  var isUnreadable = false
  /// Records whose bytes differ from the queued ones.
  var changed: [UUID128] = []
  /// Records that are in no queue of this device.
  var strangers: [UUID128?] = []
  /// Records that had arrived before, although nothing since then explains a repetition.
  var unexplained: [UUID128] = []
}

/// Finds the records of a queue in the bodies of its requests.
struct SentBodyReader {
  /// A phone that waited for Wi-Fi sends its whole queue, whatever a server accepts.
  private let reader: EnvelopeReader
  private let decoder: RecordDecoder
  private var envelope = Envelope()
  private var newestFirst = false
  /// The frame of the last body that was read.
  private var frame: BodyFrame?
  /// Whether marks suffice for batches. A record that was not JSON when it was queued is only found by parsing a batch, which
  /// the in-process server does as well.
  private let knowsBatchesByMarks: Bool

  init(knowsBatchesByMarks: Bool, templates: [TemplateSchema]) {
    self.knowsBatchesByMarks = knowsBatchesByMarks
    reader = EnvelopeReader(maxRecords: .max, templates: templates)
    decoder = RecordDecoder(templates: templates)
  }

  /// `newestFirst`: the order in which the device sends its queue.
  mutating func read(
    _ body: [UInt8], of waiting: WaitingRecords, newestFirst: Bool, _ anonymous: AnonymousRecords,
    into sent: inout SentRequest
  ) -> RequestFindings {
    self.newestFirst = newestFirst
    if let frame, knowsBatchesByMarks || !frame.holdsMany, frame.isAround(body),
      readFramed(body, frame, of: waiting, into: &sent)
    {
      sent.recordCount = sent.rows.count
      return RequestFindings()
    }
    sent.rows.removeAll()
    return readWhole(body, of: waiting, anonymous, into: &sent)
  }

  /// Reads a body that differs from an earlier one only in its records. Returns false for any other body.
  private func readFramed(
    _ body: [UInt8], _ frame: BodyFrame, of waiting: WaitingRecords, into sent: inout SentRequest
  ) -> Bool {
    var place = frame.lead.count
    let end = body.count - frame.trail.count
    guard frame.holdsMany else {
      var near: Int?
      let mark = RecordMark.of(body.span.extracting(place..<end))
      guard let row = waiting.row(marked: mark, near: &near, newestFirst: newestFirst) else { return false }
      sent.rows.append(row)
      return true
    }
    let records = body.span.extracting(first: end)
    var near: Int?
    while let index = waiting.place(of: records, from: place, beside: near, newestFirst: newestFirst) {
      sent.rows.append(waiting.all[index].row)
      place += Int(waiting.all[index].length)
      if place == end { return true }
      guard sent.rows.count < reader.maxRecords, body[place] == UInt8(ascii: ",") else { return false }
      place += 1
      near = index
    }
    return false
  }

  private mutating func readWhole(
    _ body: [UInt8], of waiting: WaitingRecords, _ anonymous: AnonymousRecords, into sent: inout SentRequest
  ) -> RequestFindings {
    var findings = RequestFindings()
    do throws(EnvelopeError) {
      try reader.read(body.span, into: &envelope)
    } catch {
      findings.isUnreadable = true
      return findings
    }
    sent.recordCount = envelope.records.count
    sent.rows.reserveCapacity(envelope.records.count)
    var near: Int?
    let found = envelope.records.map {
      waiting.row(marked: RecordMark.of(body.span.extracting($0)), near: &near, newestFirst: newestFirst)
    }
    if found.contains(nil), let rows = rows(anywhereIn: body, of: waiting), rows.count == found.count {
      sent.rows = rows
      return findings
    }
    for (range, row) in zip(envelope.records, found) {
      if let row {
        sent.rows.append(row)
      } else {
        note(range, of: body.span, waiting, anonymous, into: &sent, &findings)
      }
    }
    if let frame = BodyFrame(of: envelope, in: body) { self.frame = frame }
    return findings
  }

  /// Returns the rows of records that are the body, a member or an element of it, or an element of a member, by their bytes: a
  /// template may make records without an identifying member, and such that look like the body around a record.
  private func rows(anywhereIn body: [UInt8], of waiting: WaitingRecords) -> [Int64]? {
    var near: Int?
    var rows: [Int64] = []
    func take(_ range: Range<Int>) -> Bool {
      let mark = RecordMark.of(body.span.extracting(range))
      guard let row = waiting.row(marked: mark, near: &near, newestFirst: newestFirst) else { return false }
      rows.append(row)
      return true
    }
    do throws(JSONError) {
      var reader = JSONReader(body.span)
      try takeValues(&reader, depth: 2, take)
    } catch { return nil }
    return rows
  }

  /// Takes the next value, or those in it.
  private func takeValues(
    _ reader: inout JSONReader, depth: Int, _ take: (Range<Int>) -> Bool
  ) throws(JSONError) {
    var inner = reader
    let kind = try inner.peek()
    if take(try reader.skipValue()) || depth == 0 { return }
    switch kind {
    case .array:
      try inner.enterArray()
      while try inner.nextElement() { try takeValues(&inner, depth: depth - 1, take) }
    case .object where depth == 2:
      try inner.enterObject()
      while try inner.nextKey() != nil { try takeValues(&inner, depth: depth - 1, take) }
    case .object, .string, .number, .true, .false, .null: return
    }
  }

  private func note(
    _ range: Range<Int>, of body: Span<UInt8>, _ waiting: WaitingRecords, _ anonymous: AnonymousRecords,
    into sent: inout SentRequest, _ findings: inout RequestFindings
  ) {
    let record = body.extracting(range)
    var uuid: UUID128?
    do throws(RecordProblem) { uuid = try decoder.decode(record).uuid } catch { uuid = SentBodyReader.uuid(in: record) }
    if uuid == nil, let row = anonymous.row(in: body) {
      sent.rows.append(row)
      return sent.hasNoRoot = true
    }
    guard let uuid, let known = waiting.all.first(where: { $0.uuid == uuid }) else {
      return findings.strangers.append(uuid)
    }
    sent.rows.append(known.row)
    sent.hasNoRoot = envelope.shape == .bare
    // Without a root the params are members of the record (SDK §8.3).
    if envelope.shape != .bare { findings.changed.append(uuid) }
  }

  /// Returns the uuid of an invalid record, as an app may write one.
  static func uuid(in record: Span<UInt8>) -> UUID128? {
    do throws(JSONError) { return UUID128(member: "uuid", of: try JSONValue(parsing: record)) } catch { return nil }
  }
}

/// The bytes around the records of a body.
private struct BodyFrame {
  let lead: [UInt8]
  let trail: [UInt8]
  /// Whether it has room for several records, separated by commas.
  let holdsMany: Bool

  /// Nil for a body without records, and for one that is the record itself.
  init?(of envelope: Envelope, in body: [UInt8]) {
    guard let first = envelope.records.first, let last = envelope.records.last else { return nil }
    switch envelope.shape {
    case .bare: return nil
    case .wrapped: holdsMany = false
    case .wrappedBatch, .bareBatch: holdsMany = true
    }
    (lead, trail) = (Array(body[..<first.lowerBound]), Array(body[last.upperBound...]))
  }

  func isAround(_ body: [UInt8]) -> Bool {
    body.count > lead.count + trail.count && body.starts(with: lead)
      && body.suffix(trail.count).elementsEqual(trail)
  }
}

/// The last answer that a device has read, or the failure in its place.
struct ReadAnswer {
  let request: UInt64
  /// 0: no answer.
  let status: Int
  let instant: MonotonicInstant
  let rows: [Int64]
  /// Whether the answer came from the server itself, not from a captive portal.
  let isServers: Bool
  /// Whether a fault of the scenario may have answered in the server's place.
  var isExplained = true
  /// Whether the server has refused the upload, behind the faults, because its body is longer than it takes.
  var isForLength = false

  var isSuccess: Bool { (200..<300).contains(status) }
}
