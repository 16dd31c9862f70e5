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

  /// The operation and the decoded parameters.
  private func found(_ method: String, _ target: String) throws -> (Operation, [String])? {
    let head = try head(method, target)
    guard case .operation(let operation, let parameters) = router.match(head) else { return nil }
    return (operation, parameters.map { head.fields.text($0) ?? "" })
  }

  @Test(arguments: [
    "/locations", "/locations/", "/locations/acme", "/api/locations", "/v2/locations", "/ingest/x", "/ingest/a/b/c",
    "/ingest//",
    "/r/job-7/locations", "/r/job-7/ingest/a", "http://host/locations", "/locations?key=1",
  ])
  func uploadsGoWhereDevicesSendThem(target: String) throws {
    for method in ["POST", "PUT", "PATCH"] { #expect(try found(method, target)?.0 == .uploadLocations) }
  }

  @Test func parametersAreDecodedSegments() throws {
    let (operation, parameters) = try #require(try found("GET", "/admin/v1/devices/a%2Fb%20c/locations"))
    #expect(operation == .listDeviceLocations && parameters == ["a/b c"])
    #expect(try found("GET", "/admin/v1/devices/a/logs/7")?.1 == ["a", "7"])
    #expect(try found("POST", "/ingest/truck-7/fixes")?.1 == ["truck-7"])
  }

  @Test func headIsAnsweredWhereGetIs() throws {
    #expect(try found("HEAD", "/healthz")?.0 == .getHealth)
  }

  @Test func aWrongMethodNamesTheRightOnes() throws {
    #expect(try match("GET", "/locations") == .methodNotAllowed([.post, .put, .patch]))
    #expect(try match("POST", "/healthz") == .methodNotAllowed([.get, .head]))
    #expect(try match("PATCH", "/admin/v1/faults") == .methodNotAllowed([.get, .put, .delete, .head]))
  }

  @Test(arguments: [
    "/location", "/Locations", "/locations/a/b", "/ingest", "/admin/v1", "/admin/v1/devices//locations",
    "/api", "//locations", "/r/x", "/r/x/y", "/r//locations", "/healthz/x",
  ])
  func anythingElseIsNotFound(target: String) throws {
    #expect(try match("POST", target) == .notFound)
  }

  @Test func theRunIsReadFromThePath() throws {
    let head = try head("POST", "/r/job%207/locations")
    let run = try #require(router.run(of: head))
    #expect(head.fields.text(run.name) == "job 7")
    #expect(router.run(of: try self.head("POST", "/locations")) == nil)
  }

  @Test func everyOperationHasARoute() {
    let reachable = Set(Route.all.flatMap { $0.operations.map(\.operation) })
    for operation in Operation.allCases { #expect(reachable.contains(operation), "\(operation)") }
  }
}
