import JSON

/// Makes the bytes of a record that the queue stores and the upload sends, by a template if there is one for it, else in
/// the default schema. The extras go with the record; into an object they are merged flat, where they replace what the
/// template has under their names, and behind an array they are appended as its last element.
package struct RecordRenderer: Sendable {
  private var encoder: RecordEncoder
  private let locationTemplate: RecordTemplate?
  private let geofenceTemplate: RecordTemplate?
  private static let mockMark = Array("\"\(EnvelopeKey.isMock)\":true}".utf8)

  /// A record by its template, before the extras.
  private var draft: [UInt8] = []

  /// A geofence record without a geofence template is written in the default schema, whatever the location template.
  package init(style: RecordStyle, locationTemplate: RecordTemplate? = nil, geofenceTemplate: RecordTemplate? = nil) {
    precondition(locationTemplate?.kind != .geofence, "a geofence template in place of the location template")
    precondition(geofenceTemplate?.kind != .location, "a location template in place of the geofence template")
    encoder = RecordEncoder(style: style)
    self.locationTemplate = locationTemplate
    self.geofenceTemplate = geofenceTemplate
  }

  /// Appends one JSON value, without white space around it.
  package mutating func append(_ record: LocationRecord, to bytes: inout [UInt8]) -> RenderNote? {
    let isGeofence = record.geofence != nil || record.event == .geofence
    guard let template = isGeofence ? geofenceTemplate : locationTemplate else {
      encoder.append(record, to: &bytes)
      return nil
    }
    draft.removeAll(keepingCapacity: true)
    template.append(record, &encoder, to: &draft)
    let start = bytes.count
    do {
      return try appendDraft(of: record, to: &bytes)
    } catch {
      bytes.removeSubrange(start...)
      encoder.append(record, to: &bytes)
      return .invalidTemplate(template.kind, position: characterCount(before: error.offset))
    }
  }

  private func appendDraft(of record: LocationRecord, to bytes: inout [UInt8]) throws(JSONError) -> RenderNote? {
    var reader = JSONReader(draft.span)
    let kind = try reader.peek()
    guard kind == .object || kind == .array else { throw JSONError(.wrongKind, at: reader.offset) }
    let value = try reader.skipValue()
    try reader.finish()
    if kind == .array { return appendArray(value, of: record, to: &bytes) }
    if record.extras.isEmpty {
      reader.append(rawValue: value, to: &bytes)
    } else {
      try ObjectMerge.append(draft.span.extracting(value), laidUnder: record.extras, to: &bytes)
    }
    return nil
  }

  /// Extras become the last element; in the Android style the mark of a mock location stands with them.
  private func appendArray(_ value: Range<Int>, of record: LocationRecord, to bytes: inout [UInt8]) -> RenderNote? {
    let marksMock = record.isMock && encoder.style.arrayTemplateMock == .appended
    bytes.append(contentsOf: draft[value])
    if record.extras.isEmpty && !marksMock { return nil }
    bytes.removeLast()
    while let last = bytes.last, last <= UInt8(ascii: " ") { bytes.removeLast() }
    if bytes.last != UInt8(ascii: "[") { bytes.append(UInt8(ascii: ",")) }
    record.extras.append(to: &bytes)
    if marksMock {
      bytes.removeLast()
      if !record.extras.isEmpty { bytes.append(UInt8(ascii: ",")) }
      bytes.append(contentsOf: Self.mockMark)
    }
    bytes.append(UInt8(ascii: "]"))
    return record.extras.isEmpty ? nil : .extrasAppendedToArray
  }

  /// Errors count bytes; the log counts characters. All bytes of UTF-8 begin one but those of the form 10xxxxxx.
  private func characterCount(before offset: Int) -> Int {
    draft[..<offset].count { $0 & 0xC0 != 0x80 }
  }
}
