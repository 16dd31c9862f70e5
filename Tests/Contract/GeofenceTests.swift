import Contract
import JSON
import Testing

/// SDK §15.1.
struct GeofenceTests {
  private let circle = #"{"identifier":"a","latitude":45.5,"longitude":-73.6,"radius":200}"#

  private func read(_ text: String) throws -> Geofence { try Geofence(definition: try JSONValue(source: text)) }

  /// The circle with one field replaced, or removed by nil.
  private func circle(_ name: String, _ text: String?) throws -> JSONValue {
    guard case .object(var object) = try JSONValue(source: circle) else { return .null }
    object[name] = try text.map { try JSONValue(source: $0) }
    return .object(object)
  }

  private func refusal(_ value: JSONValue) -> FieldError? {
    #expect(throws: FieldError.self, "\(value)") { try Geofence(definition: value) }
  }

  @Test func absentFieldsHaveTheirDefaults() throws {
    let fence = try read(circle)
    #expect(fence.identifier == "a")
    #expect(fence.shape == .circle(center: .init(latitude: 45.5, longitude: -73.6), radiusMetres: 200))
    #expect(fence.notifyOnEntry && fence.notifyOnExit && !fence.notifyOnDwell)
    #expect(fence.loiteringDelayMilliseconds == 0)
    #expect(fence.extras == nil)
    #expect(fence.status == Geofence.Status())
  }

  @Test func allFieldsAreReadAndWritten() throws {
    let text = """
      {"identifier":"a","latitude":45.5,"longitude":-73.6,"radius":200,"notifyOnEntry":false,"notifyOnExit":false,\
      "notifyOnDwell":true,"loiteringDelay":30000,"extras":{"route":7}}
      """
    let fence = try read(text)
    #expect(!fence.notifyOnEntry && !fence.notifyOnExit && fence.notifyOnDwell)
    #expect(fence.loiteringDelayMilliseconds == 30_000)
    #expect(fence.definitionJSON == (try JSONValue(source: text)))
    #expect(try Geofence(definition: fence.definitionJSON) == fence)
  }

  @Test func aPolygonNeedsNoCircle() throws {
    let text = """
      {"identifier":"p","vertices":[[1,2],[3,4],[5,-6.5]],"notifyOnEntry":true,"notifyOnExit":true,\
      "notifyOnDwell":false,"loiteringDelay":0}
      """
    let fence = try read(text)
    let corners = [(1.0, 2.0), (3, 4), (5, -6.5)].map { Geofence.Vertex(latitude: $0.0, longitude: $0.1) }
    #expect(fence.shape == .polygon(corners))
    #expect(fence.definitionJSON == (try JSONValue(source: text)))
  }

  @Test func aPolygonWinsOverACircle() throws {
    guard case .polygon = try Geofence(definition: circle("vertices", "[[1,2],[3,4],[5,6]]")).shape else {
      Issue.record("a circle")
      return
    }
    #expect(try Geofence(definition: circle("vertices", "[]")) == (try read(circle)))
    #expect(try Geofence(definition: circle("vertices", "null")) == (try read(circle)))
  }

  @Test(arguments: ["identifier", "latitude", "longitude", "radius"])
  func aCircleNeedsFourFields(name: String) throws {
    #expect(refusal(try circle(name, nil)) == FieldError(name, .missing))
    #expect(refusal(try circle(name, "null")) == FieldError(name, .missing))
  }

  @Test func anEmptyIdentifierIsNone() throws {
    #expect(refusal(try circle("identifier", #""""#)) == FieldError("identifier", .missing))
  }

  @Test(arguments: [
    ("identifier", "5", "a string"), ("latitude", #""north""#, "a number"), ("longitude", "true", "a number"),
    ("radius", "{}", "a number"), ("notifyOnEntry", #""yes""#, "true or false"), ("notifyOnExit", "2", "true or false"),
    ("notifyOnDwell", "[]", "true or false"), ("loiteringDelay", #""x""#, "a number"), ("extras", "[]", "an object"),
    ("extras", #""x""#, "an object"), ("vertices", "{}", "an array of [latitude, longitude]"),
  ])
  func aFieldOfTheWrongTypeIsNamed(name: String, text: String, expected: String) throws {
    let found = refusal(try circle(name, text))
    #expect(found?.path == name)
    guard case .wrongType(expected, found: _)? = found?.problem else {
      Issue.record("\(String(describing: found))")
      return
    }
  }

  @Test(arguments: [
    ("latitude", ["90", "-90", "0"], ["90.0001", "-90.0001", "1e300"]),
    ("longitude", ["180", "-180"], ["180.0001", "-180.0001"]),
    ("radius", ["0.1", "1", "149", "1e6"], ["0", "-1"]), ("loiteringDelay", ["0", "1"], ["-1"]),
  ])
  func numbersHaveRanges(name: String, good: [String], bad: [String]) throws {
    for text in good { #expect(throws: Never.self) { try Geofence(definition: try circle(name, text)) } }
    for text in bad {
      let found = refusal(try circle(name, text))
      #expect(found?.path == name)
      guard case .outOfRange? = found?.problem else {
        Issue.record("\(name) \(text)")
        continue
      }
    }
  }

  @Test(arguments: [
    ("[[1,2],[3,4]]", "vertices"), ("[[1,2]]", "vertices"), ("[[1,2],[3],[5,6]]", "vertices[1]"),
    ("[[1,2],[3,4],[5,6,7]]", "vertices[2]"), ("[5,[3,4],[5,6]]", "vertices[0]"),
    (#"[[1,2],[3,"x"],[5,6]]"#, "vertices[1]"), ("[[1,2],[91,4],[5,6]]", "vertices[1][0]"),
    ("[[1,2],[3,4],[5,181]]", "vertices[2][1]"),
  ])
  func aBadVertexIsNamed(text: String, path: String) throws {
    #expect(refusal(try circle("vertices", text))?.path == path)
  }

  @Test func flagsAndNumbersMayBeCoerced() throws {
    let text =
      #"{"identifier":"a","latitude":"45.5","longitude":"-73.6","radius":"200","notifyOnDwell":1,"notifyOnExit":0}"#
    let fence = try read(text)
    #expect(fence.notifyOnDwell && !fence.notifyOnExit)
    #expect(fence.shape == (try read(circle).shape))
  }

  @Test func readOnlyFieldsAreWrittenAndNotRead() throws {
    var fence = try read(circle)
    fence.status.isInside = true
    fence.status.updatedAtSeconds = 1_700_000_000.5
    fence.status.hits = 178
    #expect(fence.json["entryState"] == .integer(1))
    #expect(fence.json["stateUpdatedAt"] == .double(1_700_000_000.5))
    #expect(fence.json["hits"] == .integer(178))
    #expect(fence.definitionJSON["hits"] == nil)
    #expect(try Geofence(definition: fence.json).status == Geofence.Status())
  }

  @Test func aListNamesTheElement() throws {
    #expect(try Geofence.definitions(try JSONValue(source: "[\(circle),\(circle)]")).count == 2)
    #expect(try Geofence.definitions(.array([])) == [])
    let second = #expect(throws: FieldError.self) {
      try Geofence.definitions(
        try JSONValue(source: #"[\#(circle),{"identifier":"b","vertices":[[1,2],[3,4],[95,0]]}]"#))
    }
    #expect(second?.path == "[1].vertices[2][0]")
    let bare = #expect(throws: FieldError.self) { try Geofence.definitions(.array([.integer(5)])) }
    #expect(bare == FieldError("[0]", .wrongType(expected: "an object", found: "a number")))
    #expect(throws: FieldError.self) { try Geofence.definitions(.emptyObject) }
  }

  @Test(arguments: [(199.0, true), (200, false)])
  func aSmallRadiusIsAWarningAndNoError(radius: Double, isSmall: Bool) throws {
    let center = Geofence.Vertex(latitude: 0, longitude: 0)
    let fence = Geofence(identifier: "a", shape: .circle(center: center, radiusMetres: radius))
    #expect(fence.isUnreliablySmall == isSmall)
    #expect(try Geofence(definition: fence.definitionJSON) == fence)
  }
}
