import Base
import Contract
import JSON

/// Whether a record contains its identity. A template may omit the uuid; an acknowledged record then cannot be told from a
/// lost one (HttpConfig "Upload lifecycle"; SDK §9.4).
struct RecordNaming {
  private let envelopes: EnvelopeReader
  private let decoder: RecordDecoder
  /// The place where the in-process server looks for a uuid is known; that of another server is not.
  private let isServerInside: Bool

  init(isServerInside: Bool, templates: [TemplateSchema]) {
    self.isServerInside = isServerInside
    envelopes = EnvelopeReader(templates: templates)
    decoder = RecordDecoder(templates: templates)
  }

  func isNamed(_ record: [UInt8], _ uuid: UUID128, sentAs form: TemplateForm) -> Bool {
    guard isServerInside else {
      return record.span.contains(uuid.text) || record.span.contains(uuid.text.uppercased())
    }
    do throws(RecordProblem) { return try decoder.decode(record.span).uuid == uuid } catch {
      return SentBodyReader.uuid(in: record.span) == uuid || isQuarantinedWhole(record, form)
    }
  }

  /// A quarantined record is identified by its bytes, if the server takes those that are queued for a record: without a root,
  /// params are among them, and a record may look like the body around one.
  private func isQuarantinedWhole(_ record: [UInt8], _ form: TemplateForm) -> Bool {
    let body = form.body(of: record.span)
    var envelope = Envelope()
    do throws(EnvelopeError) { try envelopes.read(body.span, into: &envelope) } catch { return false }
    return envelope.records.count == 1 && envelope.records.allSatisfy { body[$0] == record[...] }
  }

  /// Returns why a store was not read, with a remedy. The device is the first one with such records.
  static func reason(_ device: String) -> String {
    "records such as those of \(device) have no uuid that the server knows, as the template leaves it out: add \"uuid\":\"<%= uuid %>\" to it"
  }
}

/// Waiting records of one device without a uuid, by their rows.
struct AnonymousRecords {
  private var records: [Int64: [UInt8]] = [:]

  mutating func insert(_ record: [UInt8], row: Int64) { records[row] = record }

  mutating func remove(_ row: Int64) { if !records.isEmpty { records[row] = nil } }

  /// Returns the oldest record that a body without a root may hold; such a body has the params beside the record's own
  /// members (SDK §8.3).
  func row(in body: Span<UInt8>) -> Int64? {
    guard !records.isEmpty, let members = AnonymousRecords.members(of: body) else { return nil }
    return records.filter { _, record in
      AnonymousRecords.members(of: record.span)?.members.allSatisfy { members[$0.key] == $0.value } ?? false
    }.keys.min()
  }

  private static func members(of record: Span<UInt8>) -> JSONObject? {
    do throws(JSONError) {
      if case .object(let members) = try JSONValue(parsing: record) { return members }
    } catch { return nil }
    return nil
  }
}
