import JSON
import ServerSupport
import Support
import Testing

@testable import IngestServer

/// The queries as people ask them: with curl, over a socket, of a store in memory and of one in a folder.
@Suite struct ExportWireTests {
  private func server(in data: String) throws -> IngestServer {
    try IngestServer(.loopback(data: data, loops: 2))
  }

  private func upload(_ count: Int, to server: IngestServer) throws {
    for start in stride(from: 0, to: count, by: 50) {
      let records = (start..<start + 50).map { SessionHarness.record($0) }.joined(separator: ",")
      let body = "{\"device_id\":\"car\",\"location\":[\(records)]}"
      let answer = try Curl.line("--fail --data-binary '\(body)' \(server.url)/locations")
      #expect(answer == #"{"accepted":50,"duplicate":0,"quarantined":0}"#)
    }
  }

  @Test(arguments: [false, true])
  func everyFormatArrivesWhole(isInMemory: Bool) throws {
    let folder = try TemporaryFolder()
    let server = try server(in: isInMemory ? ":memory:" : folder.path)
    defer { server.stop() }
    try upload(600, to: server)
    let url = "\(server.url)/admin/v1/devices/car/locations"
    for (format, separator) in [("csv", "\r\n"), ("gpx", "<trkpt "), ("geojson", #""Feature","#)] {
      let text = try Curl.line("--fail '\(url)?format=\(format)'")
      #expect(text.split(separator: separator).count == 601, "\(format)")
      for time in ["2026-07-28T00:00:00.000Z", "2026-07-28T04:59:00.000Z", "2026-07-28T09:59:00.000Z"] {
        #expect(text.contains(time), "\(format)")
      }
    }
    let lines = try Curl.line("--fail '\(url)?format=ndjson'").split(separator: "\n")
    #expect(lines.count == 600)
    for line in lines { #expect(try JSONValue(parsing: line.utf8.span)["record"] != nil) }
    let json = try JSONValue(parsing: Array(try Curl.line("--fail \(url)").utf8).span)
    guard case .array(let locations)? = json["locations"] else { throw NoAnswer(request: url) }
    #expect(locations.map { $0["uuid"] } == (0..<600).map { .string(SessionHarness.uuid($0)) })
    #expect(try Curl.line("--fail --http1.0 '\(url)?format=csv'") == Curl.line("--fail '\(url)?format=csv'"))
    let head = try Curl.line("--fail --head '\(url)?format=csv'")
    #expect(head.contains("Transfer-Encoding: chunked"))
    #expect(try Curl.line("--fail '\(url)?limit=2' --next --fail --silent '\(server.url)/healthz'").contains("ok"))
  }

  @Test func aListOfStoredUuidsVerifies() throws {
    let folder = try TemporaryFolder()
    let server = try server(in: folder.path)
    defer { server.stop() }
    try upload(100, to: server)
    let admin = "\(server.url)/admin/v1"
    let answer = try Curl.line("--fail \(admin)/uuids | curl -s --fail --data-binary @- \(admin)/verify")
    #expect(answer == #"{"asked":100,"stored":100,"missing":0,"missingRecords":[]}"#)
    #expect(try Curl.line("--fail -X POST \(admin)/reset").hasPrefix(#"{"devices":1,"#))
    #expect(try Curl.line("--output /dev/null --write-out '%{http_code}' \(admin)/devices/car") == "404")
  }

  @Test func theAdministratorsTokenOpensTheDoor() throws {
    var configuration = ServerConfiguration.loopback()
    configuration.adminToken = "secret"
    let server = try IngestServer(configuration)
    defer { server.stop() }
    let url = "\(server.url)/admin/v1/stats"
    #expect(try Curl.line("--output /dev/null --write-out '%{http_code}' \(url)") == "401")
    #expect(try Curl.line("--fail --oauth2-bearer secret \(url)").contains("\"devices\":0"))
  }

  @Test func aClientThatLeavesInTheMiddleLeavesNothingBehind() throws {
    let folder = try TemporaryFolder()
    let server = try server(in: folder.path)
    defer { server.stop() }
    try upload(600, to: server)
    for _ in 0..<20 {
      let client = try LoopbackClient(port: server.port)
      try client.send("GET /admin/v1/devices/car/locations HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(try client.receiveText(15) == "HTTP/1.1 200 OK")
      client.reset()
    }
    let csv = try Curl.line("--fail '\(server.url)/admin/v1/devices/car/locations?format=csv'")
    #expect(csv.hasSuffix(",true,\r\n"))
  }

  @Test func healthAndMetricsShowTheConnections() throws {
    let server = try server(in: ":memory:")
    defer { server.stop() }
    #expect(try Curl.line("--fail \(server.url)/readyz") == #"{"status":"ready"}"#)
    let metrics = try Curl.line("--fail \(server.url)/metrics")
    #expect(metrics.contains("\nrollingroad_connections_open 1\n"))
    #expect(metrics.contains("\nrollingroad_connections_accepted_total 2\n"))
    #expect(metrics.contains("\nrollingroad_store_partitions 0\n"))
    #expect(try Curl.line("--fail \(server.url)/admin/v1/stats").contains("\"connections\":1"))
  }
}
