import Base
import Contract
import JSON
import Upload

/// A request whose end the device does not know yet.
struct SentRequest {
  let id: UInt64
  let purpose: OutgoingRequest.Purpose
  let sentAt: MonotonicInstant
  let timeout: Nanoseconds
  /// Of the records in its body, in their order there.
  var rows: [Int64] = []
  /// Its record is the body itself.
  var hasNoRoot = false
  /// Records in its body, those that are in no queue included.
  var recordCount = 0
  /// It is not the first of its flush.
  var followsSuccess = false
  /// The server has answered.
  var isServed = false

  /// The watchdog has ended it and its flush; its answer may still come (SDK §9.2).
  func isGivenUp(at instant: MonotonicInstant) -> Bool { instant - sentAt >= timeout + DocumentedLimits.watchdogGrace }
}

/// What is to be said about the records of a request.
struct RequestFindings {
  /// In no shape in which records are sent.
  var isUnreadable = false
  /// Their bytes are not those that were queued.
  var changed: [UUID128] = []
  /// In no queue of this device.
  var strangers: [UUID128?] = []
  /// At their arrival: they had arrived before, and nothing has happened since that would explain it.
  var unexplained: [UUID128] = []
}

/// Finds the records of a queue in the bodies of its requests.
struct SentBodyReader {
  /// A phone that waited for Wi-Fi sends all that it has, however much a server takes.
  private let reader = EnvelopeReader(maxRecords: .max)
  private let decoder = RecordDecoder()
  private var envelope = Envelope()
  /// That of the last body that was read.
  private var frame: BodyFrame?
  /// A record that was no JSON when it was queued is found by reading a batch. The server inside does that as well.
  private let knowsBatchesByMarks: Bool

  init(knowsBatchesByMarks: Bool) { self.knowsBatchesByMarks = knowsBatchesByMarks }

  mutating func read(
    _ body: [UInt8], of waiting: WaitingRecords, _ anonymous: AnonymousRecords, into sent: inout SentRequest
  ) -> RequestFindings {
    if let frame, knowsBatchesByMarks || !frame.holdsMany, frame.isAround(body),
      readFramed(body, frame, of: waiting, into: &sent)
    {
      sent.recordCount = sent.rows.count
      return RequestFindings()
    }
    sent.rows.removeAll()
    return readWhole(body, of: waiting, anonymous, into: &sent)
  }

  /// A body that differs from one that was read in nothing but which records of the queue are in it would be read the same
  /// way. False when it is another one.
  private func readFramed(
    _ body: [UInt8], _ frame: BodyFrame, of waiting: WaitingRecords, into sent: inout SentRequest
  ) -> Bool {
    var place = frame.lead.count
    let end = body.count - frame.trail.count
    guard frame.holdsMany else {
      var near = waiting.all.startIndex - 1
      guard let row = waiting.row(marked: RecordMark.of(body.span.extracting(place..<end)), near: &near) else {
        return false
      }
      sent.rows.append(row)
      return true
    }
    let records = body.span.extracting(first: end)
    var near: Int?
    while let index = waiting.place(of: records, from: place, beside: near) {
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
    var near = waiting.all.startIndex - 1
    if envelope.shape == .bare, let row = rowUnderAnyRoot(body, of: waiting, near: &near) {
      sent.rows.append(row)
      return findings
    }
    for range in envelope.records {
      let record = body.span.extracting(range)
      if let row = waiting.row(marked: RecordMark.of(record), near: &near) {
        sent.rows.append(row)
      } else {
        note(record, of: waiting, anonymous, into: &sent, &findings)
      }
    }
    if let frame = BodyFrame(of: envelope, in: body) { self.frame = frame }
    return findings
  }

  /// A record of a template may have nothing that a record is known by. It is known by its bytes, whatever its root is called.
  private func rowUnderAnyRoot(_ body: [UInt8], of waiting: WaitingRecords, near: inout Int) -> Int64? {
    for value in envelope.values {
      if let row = waiting.row(marked: RecordMark.of(body.span.extracting(value)), near: &near) { return row }
    }
    return nil
  }

  private func note(
    _ record: Span<UInt8>, of waiting: WaitingRecords, _ anonymous: AnonymousRecords, into sent: inout SentRequest,
    _ findings: inout RequestFindings
  ) {
    var uuid: UUID128?
    do throws(RecordProblem) { uuid = try decoder.decode(record).uuid } catch { uuid = SentBodyReader.uuid(in: record) }
    if uuid == nil, envelope.shape == .bare, let row = anonymous.row(in: record) {
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

  /// Of a record that is none, as an app may write one.
  private static func uuid(in record: Span<UInt8>) -> UUID128? {
    do throws(JSONError) {
      guard case .object(let object) = try JSONValue(parsing: record), case .string(let text)? = object["uuid"] else {
        return nil
      }
      return UUID128(text: text.utf8.span)
    } catch { return nil }
  }
}

/// What stands around the records of a body.
private struct BodyFrame {
  let lead: [UInt8]
  let trail: [UInt8]
  /// It has room for several records, with commas between them.
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

/// The answer that a device has read last, or what came instead.
struct ReadAnswer {
  let request: UInt64
  /// 0: none came.
  let status: Int
  let instant: MonotonicInstant
  let rows: [Int64]
  /// Whether the server has said so itself, and not a portal on the way.
  let isServers: Bool
  /// A fault of the scenario may have answered in the server's place.
  var isExplained = true

  var isSuccess: Bool { (200..<300).contains(status) }
}
