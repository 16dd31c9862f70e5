import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Testing
import Vocabulary
import World

@testable import FleetSimulator
@testable import Oracle

/// A phone that ignores a setting, or a command that sets something, is found out.
@Suite struct SettingRuleTests {
  /// Records of a template have its keys and the extras, an array one more element (SDK §7.5).
  @Test(
    arguments: [
      (#"{ "lat": <%= latitude %>, "id": "<%= uuid %>" }"#, #"{"lat":1,"id":"x"}"#, "{}", false),
      (#"{ "lat": <%= latitude %>, "id": "<%= uuid %>" }"#, #"{"lat":1,"id":"x","k":1}"#, #"{"k":1}"#, false),
      (#"{ "lat": <%= latitude %>, "id": "<%= uuid %>" }"#, #"{"lat":1,"id":"x","k":1}"#, "{}", true),
      (#"{ "lat": <%= latitude %>, "id": "<%= uuid %>" }"#, #"{"uuid":"x","coords":{}}"#, "{}", true),
      (#"{ "uuid": "<%= uuid %>", "coords": {} }"#, #"{"uuid":"x","coords":{},"odometer":0}"#, "{}", true),
      ("[<%= latitude %>, <%= longitude %>]", "[1,2]", "{}", false),
      ("[<%= latitude %>, <%= longitude %>]", #"[1,2,{"k":1}]"#, #"{"k":1}"#, false),
      ("[<%= latitude %>, <%= longitude %>]", #"{"uuid":"x","coords":{}}"#, "{}", true),
      // It may give no JSON, and then the default schema counts.
      (#"{ "event": <%= event %> }"#, #"{"uuid":"x","coords":{}}"#, "{}", false),
      (#"{ "lat": <%= latitude %>"#, #"{"uuid":"x","coords":{}}"#, "{}", false),
      ("", nil, "{}", false), ("", nil, #"{"k":1}"#, false), ("", #"{"uuid":"x","coords":{}}"#, "{}", true),
    ] as [(String, String?, String, Bool)])
  func aRecordHasTheFormOfItsTemplate(template: String, record text: String?, extras: String, isFound: Bool) throws {
    #expect(try isTemplateIgnored(by: text, extras: extras) { $0.locationTemplate = template } == isFound)
  }

  /// Each template is for its kind of record (SDK §7.5.3). Quotes in the name of a fence may break a record.
  @Test(arguments: [("depot", true), (nil, false), ("\"", false)] as [(String?, Bool)])
  func aRecordOfAFenceHasTheFormOfItsOwnTemplate(fence: String?, isFound: Bool) throws {
    let isIgnored = try isTemplateIgnored(by: nil, extras: "{}", fence: fence) {
      $0.geofenceTemplate = #"{ "fence": "<%= geofence.identifier %>" }"#
    }
    #expect(isIgnored == isFound)
  }

  /// Without a text the record has the default schema.
  private func isTemplateIgnored(
    by text: String?, extras: String, fence: String? = nil, _ configure: (inout PersistenceSettings) -> Void
  ) throws -> Bool {
    let stage = Stage { configure(&$0.persistence) }
    stage.pass(seconds: 10)
    var record = stage.location()
    record.extras = try RenderedObject(Array(extras.utf8).span)
    if let fence {
      record.geofence = GeofenceTrigger(identifier: fence, action: .enter, timestamp: record.timestamp)
    }
    var encoder = RecordEncoder(style: .android)
    var bytes = Array((text ?? "").utf8)
    if text == nil { encoder.append(record, to: &bytes) }
    stage.tell(.queue(.inserted(device: 0, row: 1, uuid: record.uuid, timestamp: record.timestamp, bytes: bytes)))
    stage.event(.location(record))
    return stage.violated.contains(.byteIdentity)
  }

  /// A car that has gone 20 km is told to set its odometer, and goes on for 10 km. A second command soon after leaves open which
  /// value counts, and one without a position fails (SDK §17.6).
  @Test(
    arguments: [
      (.resetOdometer, 0, []), (.resetOdometer, 20_000, [.odometerTolerance]),
      (.setOdometer(metres: 90_000), 90_000, []),
      (.setOdometer(metres: 90_000), 20_000, [.odometerTolerance]),
    ] as [(Command, Double, [Invariant])])
  func anOdometerThatIsSet(command: Command, goesOnAt start: Double, violated: [Invariant]) {
    for other in Disturbance.allCases {
      let stage = Stage(behaviour: .documented)
      stage.stay(0, cover: other == .tunnel ? .tunnel : nil)
      drive(stage, from: 0, odometer: 0, metres: 20_000)
      stage.tell(.told(.commanded(command)))
      stage.pass(seconds: 30)
      switch other {
      case .none, .tunnel: break
      case .secondCommand: stage.tell(.told(.commanded(.setOdometer(metres: 1))))
      case .restart:
        stage.tell(.killed(isReboot: false))
        stage.tell(.launched(Launch()))
      }
      drive(stage, from: 20_100, odometer: start + 100, metres: 10_000)
      let found = stage.violated.filter { $0 == .odometerTolerance }
      #expect(found == (other == .none ? violated : []), "\(other)")
    }
  }

  private enum Disturbance: CaseIterable { case none, secondCommand, restart, tunnel }

  /// Records a position each hundred metres.
  private func drive(_ stage: Stage, from start: Double, odometer: Double, metres: Double) {
    for way in stride(from: 0, through: metres, by: 100) {
      stage.pass(seconds: 10)
      stage.tell(.stood(at: Stage.place(start + way), metres: start + way))
      stage.event(.location(stage.location(odometer: odometer + way, metresNorth: start + way)))
    }
  }

  /// Tracking ends `stopAfterElapsedMinutes` after a start, and where they change at the latest as long after that (SDK §19.6).
  @Test(
    arguments: [
      (0, nil, 650, []), (0, nil, 900, [.motion]), (300, nil, 950, []), (300, nil, 1_200, [.motion]),
      (0, 500, 1_150, []), (0, 500, 1_400, [.motion]),
    ] as [(Int64, Int64?, Int64, [Invariant])])
  func theTimeOfTrackingIsOver(
    configuredAfter change: Int64, startedAfter start: Int64?, recordsFor seconds: Int64, violated: [Invariant]
  ) {
    var configuration = Runs.configuration(.android)
    configuration.geolocation.stopAfterElapsedMinutes = 10
    let stage = Stage.started()
    for second in stride(from: Int64(0), through: seconds, by: 10) {
      if second == change { stage.tell(.configured(configuration)) }
      if second == start { stage.tell(.told(.commanded(.startGeofences))) }
      stage.event(.location(stage.location()))
      stage.pass(seconds: 10)
    }
    #expect(stage.violated.filter { $0 == .motion } == violated)
  }

  /// With `useSignificantChangesOnly` positions come several times an hour, hundreds of metres apart (SDK §2.1, §12.7).
  @Test(
    arguments: [
      (true, 40.0, 4, false, [.recording]), (false, 40, 4, false, []), (true, 300, 60, false, []),
      (true, 60, 90, false, []), (true, 40, 4, true, []),
    ] as [(Bool, Double, Int64, Bool, [Invariant])])
  func aStreamOfSignificantChanges(
    isOn: Bool, step metres: Double, each seconds: Int64, hasStrayed: Bool, violated: [Invariant]
  ) {
    let stage = Stage { $0.geolocation.useSignificantChangesOnly = isOn }
    stage.pass(seconds: 100)
    for step in 0..<30 {
      stage.pass(seconds: seconds)
      if hasStrayed { stage.tell(.strayed(metres: step.isMultiple(of: 2) ? 500 : 0)) }
      stage.tell(.stood(at: Stage.place(Double(step) * metres), metres: Double(step) * metres))
      stage.event(.location(stage.location(metresNorth: Double(step) * metres)))
    }
    #expect(stage.violated.filter { $0 == .recording } == violated)
  }
}
