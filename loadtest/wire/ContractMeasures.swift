import Base
import Contract
import JSON

/// The record of `BenchRecord` as the product itself writes, packs and reads it.
struct ContractMeasures {
  private let record: LocationRecord
  private let text: [UInt8]
  private let envelope = EnvelopeWriter(rootProperty: "location")

  init(_ sample: BenchRecord, text: [UInt8]) throws {
    self.text = text
    record = try LocationRecord(sample)
  }

  func encode() -> Measure {
    var encoder = RecordEncoder(style: .iOS)
    return appending("RecordEncoder") { encoder.append(record, to: &$0) }
  }

  func render() throws -> Measure {
    let template = """
      {"lat":<%= latitude %>,"lng":<%= longitude %>,"t":"<%= timestamp %>","id":"<%= uuid %>","speed":<%= speed %>,\
      "moving":<%= is_moving %>,"activity":"<%= activity.type %>"}
      """
    var renderer = RecordRenderer(
      style: .iOS, locationTemplate: RecordTemplate(template, kind: .location))
    return appending("RecordRenderer, a template of 7 tags") { _ = renderer.append(record, to: &$0) }
  }

  func decode() -> Measure {
    let decoder = RecordDecoder()
    return Measure(name: "RecordDecoder", iterations: 10_000) { try decoder.decode(text.span).isMoving == true ? 1 : 0 }
  }

  func readSingle() -> Measure {
    var body: [UInt8] = []
    _ = envelope.appendSingle(text.span, to: &body)
    return reading("EnvelopeReader, single", body)
  }

  /// For each record of a batch of 50.
  func readBatch() -> Measure {
    var body: [UInt8] = []
    _ = envelope.beginBatch(to: &body)
    for _ in 0..<50 { envelope.appendToBatch(text.span, to: &body) }
    envelope.endBatch(to: &body)
    return reading("EnvelopeReader, batch of 50", body)
  }

  private func appending(_ name: String, _ append: @escaping (inout [UInt8]) -> Void) -> Measure {
    var bytes: [UInt8] = []
    return Measure(name: name, iterations: 10_000) {
      bytes.removeAll(keepingCapacity: true)
      append(&bytes)
      return bytes.count
    }
  }

  private func reading(_ name: String, _ body: [UInt8]) -> Measure {
    let reader = EnvelopeReader()
    var found = Envelope()
    return Measure(name: name, iterations: 1_000) {
      try reader.read(body.span, into: &found)
      return found.records.count
    }
  }
}

extension LocationRecord {
  fileprivate init(_ sample: BenchRecord) throws {
    guard
      let uuid = UUID128(text: sample.uuid.utf8.span), let timestamp = WallInstant(iso8601: sample.timestamp.utf8.span),
      let recordedAt = WallInstant(iso8601: sample.recordedAt.utf8.span)
    else { preconditionFailure("the sample is a valid record") }
    var coords = Coordinates(latitude: sample.coords.latitude, longitude: sample.coords.longitude)
    coords.accuracy = sample.coords.accuracy
    coords.speed = sample.coords.speed
    coords.speedAccuracy = sample.coords.speedAccuracy
    coords.heading = sample.coords.heading
    coords.headingAccuracy = sample.coords.headingAccuracy
    coords.altitude = sample.coords.altitude
    coords.altitudeAccuracy = sample.coords.altitudeAccuracy
    coords.ellipsoidalAltitude = sample.coords.ellipsoidalAltitude
    self.init(
      uuid: uuid, timestamp: timestamp, isMoving: sample.isMoving, odometer: sample.odometer, coords: coords,
      activity: Activity(ActivityType(name: sample.activity.type), confidence: sample.activity.confidence),
      battery: Battery(level: sample.battery.level, isCharging: sample.battery.isCharging))
    self.recordedAt = recordedAt
    ageMilliseconds = Int64(sample.age)
    odometerError = sample.odometerError
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("trip")
    writer.value(sample.extras.trip)
    writer.key("driver")
    writer.value(sample.extras.driver)
    writer.endObject()
    extras = try RenderedObject(writer.bytes.span)
  }
}
