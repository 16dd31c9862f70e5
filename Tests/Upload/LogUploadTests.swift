import Contract
import JSON
import Testing
import Vocabulary

@testable import Upload

/// The device's log to a server (SDK §20.5).
@Suite struct LogUploadTests {
  private func upload(_ gzip: [UInt8] = [0x1F, 0x8B, 0, 13, 10]) -> LogUpload {
    LogUpload(
      url: "https://logs.example/in?key=1", gzip: gzip, state: Array(#"{"enabled":true}"#.utf8), model: "Phone 1",
      manufacturer: "Maker", version: "26.0")
  }

  private func device(_ platform: DevicePlatform = .ios) -> TestDevice {
    TestDevice(platform) {
      $0.http.headers = .object(["X-Foo": .string("BAR"), "content-type": .string("x")])
      $0.authorization.accessToken = "t"
    }
  }

  @Test func theFormHasTheFileAndTheFields() throws {
    var device = device()
    device.give(.uploadLog(upload(), completion: 1))
    let request = try #require(device.sent.first)
    #expect(request.method == "POST")
    #expect(request.purpose == .log)
    #expect(request.url == "https://logs.example/in?key=1")
    let type = try #require(device.header("Content-Type"))
    let boundary = try #require(type.split(separator: "=").last)
    #expect(type == "multipart/form-data; boundary=\(boundary)")
    let fields = [
      ("state", #"{"enabled":true}"#), ("model", "Phone 1"), ("manufacturer", "Maker"), ("platform", "iOS"),
      ("version", "26.0"),
    ]
    var expected = fields.map { "--\(boundary)\r\nContent-Disposition: form-data; name=\"\($0)\"\r\n\r\n\($1)\r\n" }
      .joined()
    expected += "--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; "
    expected += "filename=\"background-geolocation.log.gz\"\r\nContent-Type: application/gzip\r\n\r\n"
    let body = Array(expected.utf8) + [0x1F, 0x8B, 0, 13, 10] + Array("\r\n--\(boundary)--\r\n".utf8)
    #expect(request.body == body)
  }

  @Test func theBoundaryIsInNoPart() throws {
    var device = device()
    device.give(.uploadLog(upload(Array("boundary-1-0 boundary-1-1".utf8)), completion: 1))
    #expect(device.header("Content-Type") == "multipart/form-data; boundary=boundary-1-2")
  }

  @Test func iOSSendsNeitherHeadersNorToken() {
    var device = device(.ios)
    device.give(.uploadLog(upload(), completion: 1))
    #expect(device.sent.first?.headers.map(\.name) == ["Content-Type", "User-Agent"])
  }

  @Test func androidSendsBoth() {
    var device = device(.android)
    device.give(.uploadLog(upload(), completion: 1))
    #expect(device.sent.first?.headers.map(\.name) == ["Content-Type", "User-Agent", "Authorization", "X-Foo"])
    #expect(device.header("Content-Type")?.hasPrefix("multipart/form-data") == true)
  }

  @Test func everySecondHundredIsASuccess() {
    for status in 100...599 {
      var device = device()
      device.give(.uploadLog(upload(), completion: 8))
      device.answer(status)
      let isSuccess = 200...299 ~= status
      #expect(device.effects == [.logUploaded(completion: 8, isSuccess: isSuccess, status: status)])
    }
    for failure in TransportFailure.allCases {
      var device = device()
      device.give(.uploadLog(upload(), completion: 8))
      device.fail(failure)
      #expect(device.effects == [.logUploaded(completion: 8, isSuccess: false, status: 0)])
    }
  }

  @Test func itGoesBesideAFlush() {
    var device = device()
    device.record()
    let records = device.lastID
    device.give(.uploadLog(upload(), completion: 1))
    device.give(.uploadLog(upload(), completion: 2))
    let second = device.lastID
    device.give(.answered(request: second, .answered(status: 200, reason: "", body: [])))
    #expect(device.effects == [.logUploaded(completion: 2, isSuccess: true, status: 200)])
    device.give(.answered(request: records, .answered(status: 200, reason: "", body: [])))
    #expect(device.queue.count == 0)
    device.give(.answered(request: second - 1, .answered(status: 404, reason: "", body: [])))
    #expect(device.effects == [.logUploaded(completion: 1, isSuccess: false, status: 404)])
  }
}
