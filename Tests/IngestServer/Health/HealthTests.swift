import HTTP1
import JSON
import Store
import Testing

@testable import IngestServer

@Suite struct HealthTests {
  @Test func aServerThatCommitsIsReady() throws {
    let harness = try SessionHarness()
    let answer = try harness.request("GET", "/readyz")
    #expect(answer.status == 200)
    #expect(answer.text == #"{"status":"ready"}"#)
  }

  @Test func aFullMailboxIsNotReady() throws {
    let harness = try SessionHarness()
    harness.setFull(true)
    #expect(try harness.request("GET", "/readyz").status == 503)
    #expect(try harness.request("GET", "/healthz").status == 200)
    harness.setFull(false)
    #expect(try harness.request("GET", "/readyz").status == 200)
  }

  @Test func aStoreThatCannotCommitIsNotReady() throws {
    let harness = try SessionHarness()
    harness.send("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n", commits: false)
    harness.fail(.inputOutput)
    let answer = try #require(try harness.answer(to: .get))
    #expect(answer.status == 503)
    #expect(try answer.errorCode == "not_ready")
    #expect(answer.text.contains("the disk failed"))
  }

  @Test func metricsAreOnePage() throws {
    let harness = try SessionHarness()
    try harness.upload(0..<5, of: "car")
    let answer = try harness.request("GET", "/metrics")
    #expect(answer.field("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
    #expect(answer.text.contains("\nrollingroad_records_total{fate=\"accepted\"} 5\n"))
    #expect(answer.text.contains("\nrollingroad_store_records 5\n"))
    #expect(answer.text.contains("\nrollingroad_store_devices 1\n"))
    let lines = answer.text.split(separator: "\n")
    let types = lines.filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ")[2] }
    #expect(Set(types).count == types.count, "a name has one TYPE line")
  }
}
