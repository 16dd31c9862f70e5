import Base
import JSON
import Store
import Testing

@testable import IngestServer

/// Uploads of apps with templates of their own, to a server that was told.
@Suite struct TemplateUploadTests {
  private static let array = #"[<%= latitude %>,<%= longitude %>,"<%= timestamp %>","<%= uuid %>",<%= speed %>]"#
  private static let feature = """
    {"type":"Feature","geometry":{"type":"Point","coordinates":[<%= longitude %>,<%= latitude %>]},
    "properties":{"key":"<%= uuid %>","when":"<%= timestamp %>"}}
    """
  private static let uuid = "5a4b0000-0000-4000-8000-000000000009"
  private static let values = #"[45.5,-116.3,"2026-07-28T18:34:22.563Z","\#(uuid)",1.5,{"trip":7}]"#
  private static let point = """
    {"type":"Feature","geometry":{"type":"Point","coordinates":[-116.3,45.5]},
    "properties":{"key":"\(uuid)","when":"2026-07-28T18:34:22.563Z"},"trip":7}
    """

  private func checkStored(_ harness: SessionHarness) throws {
    let found = try #require(try harness.reader.history(of: DeviceIdentity(name: "a"), limit: 10).elements.first)
    #expect(found.latitude == 45.5 && found.longitude == -116.3)
    #expect(found.uuid == UUID128(text: Self.uuid.utf8.span))
    #expect(found.recordedAt == WallInstant(iso8601: "2026-07-28T18:34:22.563Z".utf8.span)?.millisecondsSince1970)
  }

  @Test(arguments: [
    (array, values), (array, "[\(values)]"), (array, #"{"location":\#(values),"user":7}"#),
    (array, #"{"location":[\#(values)],"user":7}"#), (feature, point), (feature, "[\(point)]"),
    (feature, #"{"location":\#(point),"user":7}"#), (feature, #"{"features":[\#(point)]}"#),
  ])
  func recordsAreUnderstoodInEveryShapeOfBody(template: String, body: String) throws {
    let harness = try SessionHarness { $0.locationTemplate = template }
    let answer = try harness.upload(body, to: "/locations", [("X-Device-Id", "a")])
    #expect(answer.text == #"{"accepted":1,"duplicate":0,"quarantined":0}"#, "\(body)")
    try checkStored(harness)
    let again = try harness.upload(body, to: "/locations", [("X-Device-Id", "a")])
    #expect(again.text == #"{"accepted":0,"duplicate":1,"quarantined":0}"#, "\(body)")
  }

  @Test func withoutTheTemplateTheyArePutAside() throws {
    let harness = try SessionHarness()
    #expect(try harness.upload(Self.values).json()["quarantined"] == .integer(1))
    #expect(try harness.reader.quarantineReasons().map(\.reason) == ["arrayWithoutSchema"])
  }

  @Test func aServerWithABrokenTemplateDoesNotStart() {
    var configuration = ServerConfiguration()
    configuration.data = ":memory:"
    configuration.locationTemplate = "[<%= latitude %>"
    let error = #expect(throws: ServerError.self) { _ = try IngestServer(configuration) }
    #expect(error?.code == .configuration)
  }
}
