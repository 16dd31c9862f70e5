internal import Base
import JSON

/// An app's schema for records: a text whose tags stand for values. It is parsed once, when it is configured.
package struct RecordTemplate: Equatable, Sendable {
  /// The records that it is for.
  package enum Kind: Sendable {
    case location, geofence
  }

  enum Segment: Equatable {
    case text([UInt8])
    case tag(TemplateTag)
  }

  package let kind: Kind
  /// Unknown tags, in the order of the text; each is replaced by the empty text and causes a warning.
  package let unknownTags: [String]
  let segments: [Segment]

  /// Returns nil for the empty text, which means the default schema. An unclosed tag is text.
  package init?(_ text: String, kind: Kind) {
    if text.isEmpty { return nil }
    var segments: [Segment] = []
    var unknownTags: [String] = []
    var rest = text[...]
    while let opening = rest.firstRange(of: "<%=") {
      guard let closing = rest[opening.upperBound...].firstRange(of: "%>") else { break }
      if rest.startIndex < opening.lowerBound { segments.append(.text(Array(rest[..<opening.lowerBound].utf8))) }
      let name = Self.name(rest[opening.upperBound..<closing.lowerBound])
      if let tag = TemplateTag.allCases.first(where: { $0.name == name }), kind == .geofence || !tag.needsGeofence {
        segments.append(.tag(tag))
      } else {
        unknownTags.append(name)
      }
      rest = rest[closing.upperBound...]
    }
    if !rest.isEmpty { segments.append(.text(Array(rest.utf8))) }
    self.kind = kind
    self.segments = segments
    self.unknownTags = unknownTags
  }

  /// Returns the name without surrounding spaces.
  private static func name(_ text: Substring) -> String {
    let name = text.utf8.drop { $0 <= UInt8(ascii: " ") }
    let end = name.lastIndex { $0 > UInt8(ascii: " ") }.map { name.index(after: $0) } ?? name.startIndex
    return String(Substring(name[..<end]))
  }
}

/// The name of a value between `<%=` and `%>`.
enum TemplateTag: CaseIterable {
  case latitude, longitude, accuracy, speed, heading, altitude, altitudeAccuracy
  case speedAccuracy, headingAccuracy, ellipsoidalAltitude
  case uuid, timestamp, recordedAt, age, event, isMoving, odometer, odometerError, mock, timestampMeta, extras
  case activityType, activityConfidence, batteryLevel, batteryIsCharging
  case geofenceIdentifier, geofenceAction, geofenceExtras

  var name: String {
    switch self {
    case .latitude: "\(CoordsKey.latitude)"
    case .longitude: "\(CoordsKey.longitude)"
    case .accuracy: "\(CoordsKey.accuracy)"
    case .speed: "\(CoordsKey.speed)"
    case .heading: "\(CoordsKey.heading)"
    case .altitude: "\(CoordsKey.altitude)"
    case .altitudeAccuracy: "\(CoordsKey.altitudeAccuracy)"
    case .speedAccuracy: "\(CoordsKey.speedAccuracy)"
    case .headingAccuracy: "\(CoordsKey.headingAccuracy)"
    case .ellipsoidalAltitude: "\(CoordsKey.ellipsoidalAltitude)"
    case .uuid: "\(RecordKey.uuid)"
    case .timestamp: "\(RecordKey.timestamp)"
    case .recordedAt: "\(RecordKey.recordedAt)"
    case .age: "\(RecordKey.age)"
    case .event: "\(RecordKey.event)"
    case .isMoving: "\(RecordKey.isMoving)"
    case .odometer: "\(RecordKey.odometer)"
    case .odometerError: "\(RecordKey.odometerError)"
    case .mock: "\(RecordKey.mock)"
    case .timestampMeta: "\(RecordKey.timestampMeta)"
    case .extras: "\(RecordKey.extras)"
    case .activityType: "\(RecordKey.activity).\(ActivityKey.type)"
    case .activityConfidence: "\(RecordKey.activity).\(ActivityKey.confidence)"
    case .batteryLevel: "\(RecordKey.battery).\(BatteryKey.level)"
    case .batteryIsCharging: "\(RecordKey.battery).\(BatteryKey.isCharging)"
    case .geofenceIdentifier: "\(RecordKey.geofence).\(GeofenceTriggerKey.identifier)"
    case .geofenceAction: "\(RecordKey.geofence).\(GeofenceTriggerKey.action)"
    case .geofenceExtras: "\(RecordKey.geofence).\(GeofenceTriggerKey.extras)"
    }
  }

  /// Whether the tag is only valid in a geofenceTemplate.
  var needsGeofence: Bool { self == .geofenceIdentifier || self == .geofenceAction || self == .geofenceExtras }
}

extension RecordTemplate {
  /// Appends the text with each tag replaced by the plain value of the record. No quotes are added; characters that could end a
  /// quoted text are escaped, so that a value in quotes remains one value.
  ///
  /// Missing values are written as in the default schema, except for 0 for an altitude or an age, -1 for an error, the empty
  /// text for an event or a time, and `{}` for an object.
  func append(_ record: LocationRecord, _ encoder: inout RecordEncoder, to bytes: inout [UInt8]) {
    for segment in segments {
      switch segment {
      case .text(let text): bytes.append(contentsOf: text)
      case .tag(let tag): Self.append(tag, of: record, &encoder, to: &bytes)
      }
    }
  }

  static func append(
    _ tag: TemplateTag, of record: LocationRecord, _ encoder: inout RecordEncoder, to bytes: inout [UInt8]
  ) {
    let coords = record.coords
    switch tag {
    case .latitude: encoder.values.append(coords.latitude, to: &bytes)
    case .longitude: encoder.values.append(coords.longitude, to: &bytes)
    case .accuracy: encoder.values.append(orMissing: coords.accuracy, to: &bytes)
    case .speed: encoder.values.append(orMissing: coords.speed, to: &bytes)
    case .heading: encoder.values.append(orMissing: coords.heading, to: &bytes)
    case .altitude: encoder.values.append(hundredths: encoder.altitude(of: coords) ?? 0, to: &bytes)
    case .altitudeAccuracy: encoder.values.append(orMissing: coords.altitudeAccuracy, to: &bytes)
    case .speedAccuracy: encoder.values.append(orMissing: coords.speedAccuracy, to: &bytes)
    case .headingAccuracy: encoder.values.append(orMissing: coords.headingAccuracy, to: &bytes)
    case .ellipsoidalAltitude: encoder.values.append(hundredths: finite(coords.ellipsoidalAltitude) ?? 0, to: &bytes)
    case .uuid: encoder.append(record.uuid, to: &bytes)
    case .timestamp: encoder.append(unquoted: record.timestamp, to: &bytes)
    case .recordedAt: if let instant = record.recordedAt { encoder.append(unquoted: instant, to: &bytes) }
    case .age: bytes.append(integer: record.ageMilliseconds ?? 0)
    case .event: encoder.values.append(escaped: record.event?.name ?? "", to: &bytes)
    case .isMoving: bytes.append(record.isMoving)
    case .odometer: encoder.values.append(hundredths: record.odometer, to: &bytes)
    case .odometerError: encoder.values.append(orMissing: record.odometerError, to: &bytes)
    case .mock: bytes.append(record.isMock)
    case .timestampMeta: append(record.timestampMeta, encoder, to: &bytes)
    case .extras: record.extras.append(to: &bytes)
    case .activityType: encoder.values.append(escaped: record.activity.type.name, to: &bytes)
    case .activityConfidence: bytes.append(integer: Int64(record.activity.confidence))
    case .batteryLevel: encoder.values.append(level: record.battery.level, to: &bytes)
    case .batteryIsCharging: bytes.append(record.battery.isCharging)
    case .geofenceIdentifier: encoder.values.append(escaped: record.geofence?.identifier ?? "", to: &bytes)
    case .geofenceAction: encoder.values.append(escaped: record.geofence?.action.rawValue ?? "", to: &bytes)
    case .geofenceExtras: (record.geofence?.extras ?? .empty).append(to: &bytes)
    }
  }

  private static func append(_ meta: TimestampMeta?, _ encoder: RecordEncoder, to bytes: inout [UInt8]) {
    if let meta { encoder.append(meta, to: &bytes) } else { RenderedObject.empty.append(to: &bytes) }
  }

  private static func finite(_ quantity: Double?) -> Double? {
    quantity.flatMap { $0.isFinite ? $0 : nil }
  }
}

/// A log message of a device about a record written with a template.
package enum RenderNote: Equatable, Sendable {
  /// An error: the result of the template is not JSON, and the record was written in the default schema. The position is that
  /// of the character at which parsing ended.
  case invalidTemplate(RecordTemplate.Kind, position: Int)
  /// A warning: extras were appended to an array, which has no key for them.
  case extrasAppendedToArray

  /// The message in the SDK's words.
  package var message: String {
    switch self {
    case .invalidTemplate(.location, let position):
      "locationTemplate error: Invalid value around character \(position)"
    case .invalidTemplate(.geofence, let position):
      "geofenceTemplate error: Invalid value around character \(position)"
    case .extrasAppendedToArray: "Appending #extras to last index of [Array]"
    }
  }
}

/// Renders the bytes of a record that the queue stores and the upload sends, by the template of its kind or in the default
/// schema. The extras are part of the record; into an object they are merged flat and replace members of the template with the
/// same names, to an array they are appended as the last element.
package struct RecordRenderer: Sendable {
  private var encoder: RecordEncoder
  private let locationTemplate: RecordTemplate?
  private let geofenceTemplate: RecordTemplate?
  private static let mockMark = Array("\"\(EnvelopeKey.isMock)\":true}".utf8)

  /// The record as rendered by its template, before the extras.
  private var draft: [UInt8] = []

  /// A geofence record without a geofence template is written in the default schema, whatever the location template.
  package init(style: RecordStyle, locationTemplate: RecordTemplate? = nil, geofenceTemplate: RecordTemplate? = nil) {
    precondition(locationTemplate?.kind != .geofence, "a geofence template in place of the location template")
    precondition(geofenceTemplate?.kind != .location, "a location template in place of the geofence template")
    encoder = RecordEncoder(style: style)
    self.locationTemplate = locationTemplate
    self.geofenceTemplate = geofenceTemplate
  }

  /// Appends one JSON value without surrounding white space.
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

  /// Appends the extras as the last element; in the Android style with the mark of a mock location.
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

  /// Converts a position in bytes to characters, which the log counts. All UTF-8 bytes except those of the form 10xxxxxx begin
  /// a character.
  private func characterCount(before offset: Int) -> Int {
    draft[..<offset].count { $0 & 0xC0 != 0x80 }
  }
}

extension RecordTemplate {
  /// The template with a digit for each tag, and the positions of the tags. A digit is a valid value where a tag is bare, and a
  /// valid text where it is quoted.
  var draft: (bytes: [UInt8], tags: [Int: TemplateTag]) {
    var bytes: [UInt8] = []
    var tags: [Int: TemplateTag] = [:]
    for segment in segments {
      switch segment {
      case .text(let text): bytes += text
      case .tag(let tag):
        tags[bytes.count] = tag
        bytes.append(UInt8(ascii: "1"))
      }
    }
    return (bytes, tags)
  }
}
