import HTTP1
import Testing

@testable import IngestServer

@Suite struct RouterTests {
  private let router = Router()

  private func head(_ method: String, _ target: String) throws -> RequestHead {
    var head = RequestHead()
    var parser = RequestParser()
    let bytes = Array("\(method) \(target) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    let step = try parser.next(bytes.span, into: &head)
    #expect(step.event == .head)
    return head
  }

  private func match(_ method: String, _ target: String) throws -> Router.Match {
    router.match(try head(method, target))
  }

  /// The name of the route and the decoded parameters.
  private func found(_ method: String, _ target: String) throws -> (String, [String])? {
    let head = try head(method, target)
    guard case .route(let route, let number, let parameters) = router.match(head) else { return nil }
    #expect(Route.table[number] === route)
    return (route.name, parameters.map { head.fields.text($0) ?? "" })
  }

  /// The methods that a path takes instead; nil when the answer is another one.
  private func allowed(_ method: String, _ target: String) throws -> [HTTPMethod]? {
    guard case .methodNotAllowed(let methods) = try match(method, target) else { return nil }
    return methods
  }

  @Test(arguments: [
    "/locations", "/locations/", "/locations/acme", "/api/locations", "/v2/locations", "/ingest/x", "/ingest/a/b/c",
    "/ingest//",
    "/r/job-7/locations", "/r/job-7/ingest/a", "http://host/locations", "/locations?key=1",
  ])
  func uploadsGoWhereDevicesSendThem(target: String) throws {
    for method in ["POST", "PUT", "PATCH"] { #expect(try found(method, target)?.0 == "uploadLocations") }
  }

  @Test func parametersAreDecodedSegments() throws {
    let (operation, parameters) = try #require(try found("GET", "/admin/v1/devices/a%2Fb%20c/locations"))
    #expect(operation == "listDeviceLocations" && parameters == ["a/b c"])
    #expect(try found("GET", "/admin/v1/devices/a/logs/7")?.1 == ["a", "7"])
    #expect(try found("POST", "/ingest/truck-7/fixes")?.1 == ["truck-7"])
  }

  @Test func headIsAnsweredWhereGetIs() throws {
    #expect(try found("HEAD", "/healthz")?.0 == "getHealth")
  }

  @Test func aWrongMethodNamesTheRightOnes() throws {
    #expect(try allowed("GET", "/locations") == [.post, .put, .patch])
    #expect(try allowed("POST", "/healthz") == [.get, .head])
    #expect(try allowed("PATCH", "/admin/v1/faults") == [.get, .put, .delete, .head])
    #expect(try allowed("PUT", "/admin/v1/devices/a/commands") == [.get, .post, .head])
    #expect(try allowed("DELETE", "/admin/v1/quarantine/reasons") == [.get, .head])
  }

  @Test(arguments: [
    "/location", "/Locations", "/locations/a/b", "/ingest", "/admin/v1", "/admin/v1/devices//locations",
    "/api", "//locations", "/r/x", "/r/x/y", "/r//locations", "/healthz/x",
  ])
  func anythingElseIsNotFound(target: String) throws {
    guard case .notFound = try match("POST", target) else {
      Issue.record("something is served under \(target)")
      return
    }
  }

  @Test func theRunIsReadFromThePath() throws {
    let head = try head("POST", "/r/job%207/locations")
    let run = try #require(router.run(of: head))
    #expect(head.fields.text(run.name) == "job 7")
    #expect(router.run(of: try self.head("POST", "/locations")) == nil)
  }

  @Test func everyRouteIsFoundUnderItsPaths() throws {
    for route in Route.table {
      for (method, pieces) in route.methods.flatMap({ method in route.paths.map { (method, $0) } }) {
        let path = pieces.map { piece in if case .text(let text) = piece { text } else { "x" } }.joined(separator: "/")
        #expect(try found("\(method.name)", "/" + path)?.0 == route.name)
      }
    }
  }

  /// The paths of identity providers are rows of operations that the server has anyway.
  @Test func aNameIsOneOperation() {
    for (_, rows) in Dictionary(grouping: Route.table, by: \.name) {
      #expect(rows.allSatisfy { $0.audience == rows[0].audience }, "\(rows[0].name)")
      #expect(rows.count == 1 || rows.allSatisfy { !$0.isAdministrative }, "\(rows[0].name)")
    }
    #expect(Set(Route.table.compactMap(\.deviceOperation)) == Set(DeviceOperation.allCases))
  }
}
