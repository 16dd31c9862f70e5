import HTTP1
import JSON
import Testing

@testable import IngestServer

@Suite struct DeviceLogTests {
  private let compressed: [UInt8] = [0x1F, 0x8B, 0x08, 0x00, 0x0D, 0x0A, 0xFF]

  /// A form as the SDK sends it, the file among other fields.
  private func form(_ file: [UInt8], name: String) -> [UInt8] {
    let head =
      "--x\r\nContent-Disposition: form-data; name=\"state\"\r\n\r\n{}\r\n"
      + "--x\r\nContent-Disposition: form-data; name=\"anything\"; filename=\"\(name)\"\r\n"
      + "Content-Type: application/gzip\r\n\r\n"
    return Array(head.utf8) + file + Array("\r\n--x--\r\n".utf8)
  }

  private func post(
    _ harness: SessionHarness, _ body: [UInt8], type: String = "multipart/form-data; boundary=x",
    to path: String = "/logs/a"
  ) throws -> TestAnswer {
    let head = "POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Type: \(type)\r\nContent-Length: \(body.count)\r\n\r\n"
    harness.send(Array(head.utf8) + body)
    guard let answer = try harness.answer() else { throw NoAnswer(request: path) }
    return answer
  }

  private func list(_ harness: SessionHarness, device: String = "a") throws -> [JSONValue] {
    guard case .array(let logs)? = try harness.request("GET", "/admin/v1/devices/\(device)/logs").json()["logs"] else {
      return []
    }
    return logs
  }

  @Test func aLogComesBackAsItCame() throws {
    let harness = try SessionHarness { $0.authentication = .required }
    #expect(try post(harness, form(compressed, name: "log \u{e9}\".gz")).status == 400)
    #expect(try post(harness, form(compressed, name: "log \u{e9}.gz")).text == #"{"kept":1}"#)
    let logs = try list(harness)
    #expect(logs.count == 1)
    #expect(logs.first?["fileName"] == .string("log \u{e9}.gz"))
    #expect(logs.first?["bytes"] == .integer(7))
    let answer = try harness.request("GET", "/admin/v1/devices/a/logs/1")
    #expect(answer.body == compressed)
    #expect(answer.field("Content-Type") == "application/gzip")
    #expect(answer.field("Content-Disposition") == "attachment; filename*=UTF-8''log%20%C3%A9.gz")
  }

  @Test func aBareFileIsTakenToo() throws {
    let harness = try SessionHarness()
    #expect(try post(harness, Array("line\n".utf8), type: "text/plain").status == 200)
    let answer = try harness.request("GET", "/admin/v1/devices/a/logs/1")
    #expect(answer.text == "line\n")
    #expect(answer.field("Content-Type") == "application/octet-stream")
  }

  @Test func theLatestLogStandsFirst() throws {
    let harness = try SessionHarness()
    for text in ["one", "two"] { _ = try post(harness, Array(text.utf8), type: "text/plain") }
    #expect(try list(harness).map { $0["id"] } == [.integer(2), .integer(1)])
  }

  @Test func aKeyIsDemandedWhenOneIsSet() throws {
    let harness = try SessionHarness { $0.logKey = "sesame" }
    for path in ["/logs/a", "/logs/a?key=", "/logs/a?key=sesam", "/logs/a?key=sesame2"] {
      #expect(try post(harness, form(compressed, name: "l"), to: path).status == 403, "\(path)")
    }
    #expect(try post(harness, form(compressed, name: "l"), to: "/logs/a?key=sesame").status == 200)
  }

  @Test func aFormWithoutAFileAndAnEmptyFileAreRefused() throws {
    let harness = try SessionHarness()
    let noFile = "--x\r\nContent-Disposition: form-data; name=\"state\"\r\n\r\n{}\r\n--x--\r\n"
    #expect(try post(harness, Array(noFile.utf8)).errorCode == "file_missing")
    #expect(try post(harness, form([], name: "l")).errorCode == "empty_log")
    #expect(try post(harness, Array("--y".utf8)).errorCode == "bad_multipart")
    #expect(try list(harness).isEmpty)
  }

  @Test func aLogIsFoundUnderItsDeviceOnly() throws {
    let harness = try SessionHarness()
    _ = try post(harness, form(compressed, name: "l"))
    _ = try harness.upload(1, device: "b")
    for path in ["b/logs/1", "a/logs/2", "a/logs/x", "nobody/logs/1"] {
      #expect(try harness.request("GET", "/admin/v1/devices/\(path)").status == 404, "\(path)")
    }
  }
}
