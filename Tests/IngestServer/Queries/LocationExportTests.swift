import JSON
import Testing

@testable import IngestServer

/// The history of a device in each format, as a whole and page by page.
@Suite struct LocationExportTests {
  private let path = "/admin/v1/devices/car/locations"

  private func harness(_ body: String) throws -> SessionHarness {
    let harness = try SessionHarness()
    #expect(try harness.upload(body).status == 200)
    return harness
  }

  private func elements(_ value: JSONValue?) throws -> [JSONValue] {
    guard case .array(let elements)? = value else {
      Issue.record("no list")
      return []
    }
    return elements
  }

  @Test func jsonHoldsTheRecordAsItCame() throws {
    let record = #"{ "uuid":"11111111-2222-4333-8444-555555555555" , "extra":{"a":1.50}, "lat":45.5,"lng":-122.5}"#
    let harness = try harness("{\"device_id\":\"car\",\"shift\":\"night\",\"location\":\(record)}")
    let answer = try harness.request("GET", path)
    #expect(answer.field("Content-Type") == "application/json")
    #expect(answer.text.contains("\"record\":\(record)"), "\(answer.text)")
    let location = try #require(try elements(try answer.json()["locations"]).first)
    #expect(location["uuid"] == .string("11111111-2222-4333-8444-555555555555"))
    #expect(location["recordedAt"] == .null)
    #expect(location["receivedAt"] == .string("2026-07-28T18:34:23.000Z"))
    #expect(location["params"]?["shift"] == .string("night"))
    #expect(try answer.json()["next"] == .null)
  }

  @Test func linesAreOneRecordEachAlsoWhenTheRecordHadMore() throws {
    let odd = "{\r\n\"lat\":1,\n\"lng\":2}"
    let harness = try harness("{\"device_id\":\"car\",\"location\":[\(odd),\(SessionHarness.record(7))]}")
    let answer = try harness.request("GET", "\(path)?format=ndjson")
    #expect(answer.field("Content-Type") == "application/x-ndjson")
    let lines = answer.body.split(separator: UInt8(ascii: "\n"))
    #expect(lines.count == 2)
    for line in lines { #expect(try JSONValue(parsing: Array(line).span)["record"] != nil) }
    #expect(!answer.body.contains(0x0D))
  }

  /// Whatever a record says is told, without an exponent, which a decimal of XML does not know.
  @Test func numbersOfAnySizeAreWhole() throws {
    let harness = try harness(
      #"{"device_id":"car","location":{"lat":1,"lng":-2.5e-10,"coords":{"latitude":1,"longitude":-2.5e-10,"altitude":1e9,"accuracy":123456789012.25,"speed":1e21,"heading":359.99999999999}}}"#
    )
    let row = try #require(try harness.request("GET", "\(path)?format=csv").text.split(separator: "\r\n").last)
    #expect(
      row.hasSuffix(",1,-0.00000000025,1000000000,123456789012.25,1000000000000000000000,359.99999999999,,"), "\(row)")
    let track = try harness.request("GET", "\(path)?format=gpx").text
    #expect(track.contains("<ele>1000000000</ele>") && track.contains(":course>359.99999999999<"), "\(track)")
  }

  @Test func geoJSONIsACollectionOfPoints() throws {
    let record = SessionHarness.record(7, event: "motionchange")
    let harness = try harness("{\"device_id\":\"car\",\"location\":[\(record)]}")
    let answer = try harness.request("GET", "\(path)?format=geojson")
    #expect(answer.field("Content-Type") == "application/geo+json")
    let collection = try answer.json()
    #expect(collection["type"] == .string("FeatureCollection"))
    let feature = try #require(try elements(collection["features"]).first)
    #expect(feature["type"] == .string("Feature"))
    #expect(feature["geometry"]?["type"] == .string("Point"))
    #expect(feature["geometry"]?["coordinates"] == .array([.double(-122.5), .double(45.1007), .double(7.5)]))
    #expect(feature["properties"]?["recordedAt"] == .string("2026-07-28T00:07:00.000Z"))
    #expect(feature["properties"]?["event"] == .string("motionchange"))
  }

  @Test func gpxIsATrack() throws {
    let harness = try SessionHarness()
    let body = "[\(SessionHarness.record(7)),{\"lat\":0.000001,\"lng\":-0.5}]"
    #expect(try harness.upload(body, [("X-Device-Id", "a<b&c")]).status == 200)
    let answer = try harness.request("GET", "/admin/v1/devices/a%3Cb%26c/locations?format=gpx")
    #expect(answer.field("Content-Type") == "application/gpx+xml")
    #expect(
      answer.text == """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="rollingroad" xmlns="http://www.topografix.com/GPX/1/1" \
        xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">
        <trk><name>a&lt;b&amp;c</name><trkseg>
        <trkpt lat="0.000001" lon="-0.5"></trkpt>
        <trkpt lat="45.1007" lon="-122.5"><ele>7.5</ele><time>2026-07-28T00:07:00.000Z</time><extensions>\
        <gpxtpx:TrackPointExtension><gpxtpx:speed>1.25</gpxtpx:speed><gpxtpx:course>90</gpxtpx:course>\
        </gpxtpx:TrackPointExtension></extensions></trkpt>
        </trkseg></trk>
        </gpx>

        """)
  }

  @Test func csvHasAHeaderAndQuotesWhatNeedsIt() throws {
    let odd = #"{"lat":1,"lng":2,"event":"a,\"b\"\r\n"}"#
    let harness = try harness("{\"device_id\":\"car\",\"location\":[\(odd),\(SessionHarness.record(7))]}")
    let answer = try harness.request("GET", "\(path)?format=csv")
    #expect(answer.field("Content-Type") == "text/csv; charset=utf-8; header=present")
    let header = "uuid,recordedAt,receivedAt,latitude,longitude,altitude,accuracy,speed,heading,isMoving,event\r\n"
    #expect(answer.text.hasPrefix(header))
    let rows = answer.text.dropFirst(header.count)
    let known =
      "\(SessionHarness.uuid(7)),2026-07-28T00:07:00.000Z,2026-07-28T18:34:23.000Z,"
      + "45.1007,-122.5,7.5,5,1.25,90,true,\r\n"
    #expect(rows.hasSuffix(known), "\(rows)")
    let other = rows.dropLast(known.count)
    #expect(other.hasSuffix(",,2026-07-28T18:34:23.000Z,1,2,,,,,,\"a,\"\"b\"\"\r\n\"\r\n"), "\(other)")
  }

  @Test(arguments: [1, 7, 50, 1_000])
  func pagesTogetherAreTheWhole(limit: Int) throws {
    let harness = try SessionHarness()
    try harness.upload(0..<150, of: "car")
    try harness.upload(1_440..<1_500, of: "car")
    let whole = try elements(try harness.request("GET", path).json()["locations"])
    #expect(whole.count == 210)
    var pages: [JSONValue] = []
    var target = "\(path)?limit=\(limit)"
    var count = 0
    while true {
      let answer = try harness.request("GET", target)
      let page = try elements(try answer.json()["locations"])
      #expect(page.count <= limit)
      pages += page
      count += 1
      guard case .string(let cursor)? = try answer.json()["next"] else {
        #expect(answer.field("Link") == nil)
        break
      }
      #expect(answer.field("Link") == "<?limit=\(limit)&cursor=\(cursor)>; rel=\"next\"")
      target = "\(path)?limit=\(limit)&cursor=\(cursor)"
    }
    #expect(pages == whole)
    #expect(count == (210 + limit - 1) / limit)
  }

  @Test func anUnknownDeviceGets404() throws {
    let harness = try SessionHarness()
    try harness.upload(0..<1, of: "car", run: "one")
    for (target, status) in [
      (path, 404), ("\(path)?run=one", 200), ("/r/one\(path)", 200), ("/r/two\(path)", 404),
      ("/r/two\(path)?run=one", 400),
    ] {
      let answer = try harness.request("GET", target)
      #expect(answer.status == status, "\(target)")
      if status == 404 { #expect(try answer.errorCode == "unknown_device") }
    }
  }
}
