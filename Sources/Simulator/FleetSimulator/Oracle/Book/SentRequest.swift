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
  private let reader = EnvelopeReader()
  private let decoder = RecordDecoder()
  private var envelope = Envelope()
  /// What stood around the record of the last body with a single one that was read.
  private var (lead, trail): ([UInt8], [UInt8]) = ([], [])

  mutating func read(_ body: [UInt8], of waiting: WaitingRecords, into sent: inout SentRequest) -> RequestFindings {
    if let row = onlyRow(in: body, of: waiting) {
      sent.recordCount = 1
      sent.rows.append(row)
      return RequestFindings()
    }
    return readWhole(body, of: waiting, into: &sent)
  }

  /// A body that differs from one that was read in nothing but which record of the queue is in it would be read the same way.
  private func onlyRow(in body: [UInt8], of waiting: WaitingRecords) -> Int64? {
    guard !lead.isEmpty, body.count > lead.count + trail.count, body.starts(with: lead),
      body.suffix(trail.count).elementsEqual(trail)
    else { return nil }
    var near = waiting.all.startIndex - 1
    let record = body.span.extracting(lead.count..<body.count - trail.count)
    return waiting.row(marked: RecordMark.of(record), near: &near)
  }

  private mutating func readWhole(
    _ body: [UInt8], of waiting: WaitingRecords, into sent: inout SentRequest
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
    for range in envelope.records {
      let record = body.span.extracting(range)
      if let row = waiting.row(marked: RecordMark.of(record), near: &near) {
        sent.rows.append(row)
      } else {
        note(record, of: waiting, into: &sent, &findings)
      }
    }
    if envelope.records.count == 1 {
      (lead, trail) = (Array(body[..<envelope.records[0].lowerBound]), Array(body[envelope.records[0].upperBound...]))
    }
    return findings
  }

  private func note(
    _ record: Span<UInt8>, of waiting: WaitingRecords, into sent: inout SentRequest, _ findings: inout RequestFindings
  ) {
    var uuid: UUID128?
    do throws(RecordProblem) { uuid = try decoder.decode(record).uuid } catch { uuid = SentBodyReader.uuid(in: record) }
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
