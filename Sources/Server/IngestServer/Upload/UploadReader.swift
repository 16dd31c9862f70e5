import Base
import Contract
import JSON
import Store
import TLS

/// The content of an upload's body: the valid records, and the invalid ones.
struct UploadReading {
  var points: [Point] = []
  var quarantined: [QuarantinedItem] = []
  /// The params of the body as one JSON object; empty for none.
  var parameters: [UInt8] = []
  /// `device_id` and similar keys; nil when the body has none.
  var device: String?
  var oldest: WallInstant?

  /// Keeps the first `count` records of a body and returns how many were removed.
  static func keepFirst(
    _ count: Int, points: inout [Point], quarantined: inout [QuarantinedItem]
  ) -> Int {
    let offsets = (points.map(\.record.lowerBound) + quarantined.map(\.record.lowerBound)).sorted()
    guard count < offsets.count else { return 0 }
    points.removeAll { $0.record.lowerBound >= offsets[count] }
    quarantined.removeAll { $0.record.lowerBound >= offsets[count] }
    return offsets.count - points.count - quarantined.count
  }
}

/// Reads upload bodies of any shape.
struct UploadReader: Sendable {
  let envelopes: EnvelopeReader
  let records: RecordDecoder
  private let straight: StraightReader

  /// In a body. They are written in one transaction, for which all others wait.
  private static let recordsMax = 10_000
  /// Behind a proxy the backend says how many it takes: as many as 10 MiB of the shortest usual records.
  private static let passedRecordsMax = 100_000

  init(_ configuration: ServerConfiguration) {
    let templates: [TemplateSchema]
    do throws(FieldError) { templates = try configuration.templates() } catch {
      preconditionFailure("the templates were not checked before: \(error)")
    }
    envelopes = EnvelopeReader(
      rootProperty: configuration.rootProperty, otherRoots: configuration.otherRoots,
      maxRecords: configuration.proxy == nil ? Self.recordsMax : Self.passedRecordsMax, templates: templates)
    records = RecordDecoder(templates: templates)
    straight = StraightReader(envelopes, records)
  }

  /// `findsDevice`: false when the request head has already identified the device. Finding it in a record takes another pass
  /// over that record.
  func read(
    _ body: [UInt8], into envelope: inout Envelope, findsDevice: Bool = true
  ) throws(EnvelopeError) -> UploadReading {
    var reading: UploadReading
    if let straight = readStraight(body, into: &envelope) {
      reading = straight
    } else {
      reading = try search(body, into: &envelope)
    }
    reading.parameters = parameters(of: envelope, in: body)
    if findsDevice { reading.device = device(of: envelope, in: body) }
    return reading
  }

  /// Returns the device that the body names, without reading records.
  func device(in body: [UInt8], _ envelope: inout Envelope) throws(EnvelopeError) -> String? {
    try envelopes.read(body.span, into: &envelope)
    return device(of: envelope, in: body)
  }

  /// Reads a usual body in one pass. Returns nil when its records must be searched for.
  private func readStraight(_ body: [UInt8], into envelope: inout Envelope) -> UploadReading? {
    var reading = UploadReading()
    // Records are seldom shorter, so most lists never grow.
    reading.points.reserveCapacity(body.count / 256 + 1)
    let isRead = straight.read(body.span, into: &envelope) { record, range in
      add(record, at: range, of: body, to: &reading)
    }
    return isRead ? reading : nil
  }

  private func search(_ body: [UInt8], into envelope: inout Envelope) throws(EnvelopeError) -> UploadReading {
    try envelopes.read(body.span, into: &envelope)
    var reading = UploadReading()
    reading.points.reserveCapacity(envelope.records.count)
    for range in envelope.records { read(range, of: body, into: &reading) }
    return reading
  }

  private func read(_ range: Range<Int>, of body: [UInt8], into reading: inout UploadReading) {
    do throws(RecordProblem) {
      add(try records.decode(body.span.extracting(range)), at: range, of: body, to: &reading)
    } catch {
      reading.quarantined.append(
        QuarantinedItem(
          identity: hash(body[range]), reason: error.code.rawValue, detail: error.key ?? "", record: range))
    }
  }

  private func add(_ record: DecodedRecord, at range: Range<Int>, of body: [UInt8], to reading: inout UploadReading) {
    if let timestamp = record.timestamp, timestamp < reading.oldest ?? .latest { reading.oldest = timestamp }
    reading.points.append(
      Point(
        recordedAt: record.timestamp?.millisecondsSince1970 ?? 0,
        uuid: record.uuid ?? hash(of: record, at: range, in: body),
        latitude: record.latitude, longitude: record.longitude, accuracy: record.accuracy, speed: record.speed,
        heading: record.heading, isMoving: record.isMoving, odometer: record.odometer, event: record.event?.name,
        record: range))
  }

  /// An identity that is not a UUID still identifies the record, even if the rest is serialized differently the next time.
  private func hash(of record: DecodedRecord, at range: Range<Int>, in body: [UInt8]) -> UUID128 {
    guard let identity = record.foreignIdentity else { return hash(body[range]) }
    return hash(body[(range.lowerBound + identity.lowerBound)..<(range.lowerBound + identity.upperBound)])
  }

  /// Returns the identity of a record without one: identical bytes are the same record, whenever they arrive.
  private func hash(_ record: ArraySlice<UInt8>) -> UUID128 {
    UUID128(digest: Cryptography.sha256(Array(record)))
  }

  private func parameters(of envelope: Envelope, in body: [UInt8]) -> [UInt8] {
    guard !envelope.params.isEmpty else { return [] }
    var object: [UInt8] = [UInt8(ascii: "{")]
    for (index, parameter) in envelope.params.enumerated() {
      if index > 0 { object.append(UInt8(ascii: ",")) }
      // The key as written, with its quotes.
      object += body[(parameter.key.range.lowerBound - 1)...parameter.key.range.upperBound]
      object.append(UInt8(ascii: ":"))
      object += body[parameter.value]
    }
    object.append(UInt8(ascii: "}"))
    return object
  }

  /// Searches the params, then the first record that can be read.
  private func device(of envelope: Envelope, in body: [UInt8]) -> String? {
    var name: [UInt8] = []
    if !IdentitySearch.append(of: envelope, in: body.span, to: &name) {
      for record in envelope.records {
        do throws(JSONError) {
          _ = try IdentitySearch.append(ofRecord: body.span.extracting(record), to: &name)
          break
        } catch { name.removeAll() }
      }
    }
    return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
  }
}
