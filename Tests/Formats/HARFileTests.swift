import Base
import Contract
import JSON
import Testing

@testable import Formats

/// What readers of HTTP Archive 1.2 (http://www.softwareishard.com/blog/har-12-spec) find in a file.
@Suite struct HARFileTests {
  private static func entry(_ change: (inout HAREntry) -> Void = { _ in }) throws -> JSONValue {
    var entry = HAREntry(
      startedAt: WallInstant(millisecondsSince1970: 1_785_263_663_000),
      request: HARRequest(
        method: "POST", url: "http://127.0.0.1:1/locations?a=1&b=x%20y&c=%zz&%+1%-1=%+&d",
        fields: [
          NameValuePair("content-type", "application/json"), NameValuePair("Cookie", "s=1; t=a=b"),
        ], body: Array("{\"a\":\"\u{1F600}\\n\"}".utf8)),
      response: HARResponse(
        status: 302, reason: "Found",
        fields: [
          NameValuePair("Location", "/there"), NameValuePair("Set-Cookie", "s=2; Path=/"),
          NameValuePair("Content-Type", "text/plain"),
        ], body: Array("ok".utf8)),
      timings: HARTimings(blocked: 1_000, dns: 2_000, connect: 4_000, tls: 3_000, send: 500, wait: 250, receive: 125))
    change(&entry)
    var bytes: [UInt8] = []
    entry.append(to: &bytes)
    return try JSONValue(parsing: bytes.span)
  }

  private static func names(_ value: JSONValue?) -> [String] {
    guard case .object(let object)? = value else { return [] }
    return object.members.map(\.key)
  }

  private static func pairs(_ value: JSONValue?) -> [String] {
    guard case .array(let list)? = value else { return ["no list"] }
    return list.map { pair in
      guard case .string(let name)? = pair["name"], case .string(let value)? = pair["value"] else { return "no pair" }
      return "\(name)=\(value)"
    }
  }

  @Test func anEmptyFileIsWhole() throws {
    let bytes = HARFile.opening(creator: "a \"b\"", version: "1") + HARFile.closing
    let log = try JSONValue(parsing: bytes.span)["log"]
    #expect(log?["version"] == .string("1.2") && log?["creator"]?["name"] == .string("a \"b\""))
    #expect(log?["entries"] == .array([]))
  }

  @Test func entriesFollowEachOther() throws {
    var bytes = HARFile.opening(creator: "a", version: "1", comment: "c")
    for number in 0..<3 {
      if number > 0 { bytes += HARFile.separator }
      HAREntry(
        startedAt: .earliest, request: HARRequest(method: "GET", url: "http://a/\(number)", fields: []),
        response: HARResponse(status: 200, reason: "OK"), timings: HARTimings(wait: 0)
      ).append(to: &bytes)
    }
    bytes += HARFile.closing
    guard case .array(let entries)? = try JSONValue(parsing: bytes.span)["log"]?["entries"] else {
      Issue.record("no entries")
      return
    }
    #expect(entries.map { $0["request"]?["url"] } == (0..<3).map { .string("http://a/\($0)") })
  }

  /// The members that the format requires, in each of its objects.
  @Test func everyRequiredMemberIsThere() throws {
    let entry = try Self.entry()
    #expect(
      Self.names(entry) == ["startedDateTime", "time", "request", "response", "cache", "timings"])
    #expect(
      Self.names(entry["request"]) == [
        "method", "url", "httpVersion", "cookies", "headers", "queryString", "postData", "headersSize", "bodySize",
      ])
    #expect(
      Self.names(entry["response"]) == [
        "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize",
        "bodySize",
      ])
    #expect(
      Self.names(entry["timings"]) == ["blocked", "dns", "connect", "send", "wait", "receive", "ssl"])
    #expect(entry["startedDateTime"] == .string("2026-07-28T18:34:23.000Z"))
  }

  /// TLS is part of the connecting and counts once.
  @Test func theTimeIsTheSumOfItsParts() throws {
    #expect(try Self.entry()["time"] == .double(7.875))
    let some = try Self.entry { $0.timings = HARTimings(wait: 812) }
    #expect(some["time"] == .double(0.812))
    #expect(some["timings"]?["dns"] == .integer(-1) && some["timings"]?["ssl"] == .integer(-1))
  }

  @Test func queriesAndCookiesAreTakenApart() throws {
    let request = try Self.entry()["request"]
    #expect(Self.pairs(request?["queryString"]) == ["a=1", "b=x y", "c=%zz", "% 1%-1=% ", "d="])
    #expect(Self.pairs(request?["cookies"]) == ["s=1", "t=a=b"])
    let response = try Self.entry()["response"]
    #expect(Self.pairs(response?["cookies"]) == ["s=2"])
    #expect(response?["redirectURL"] == .string("/there"))
  }

  @Test func textStaysText() throws {
    let entry = try Self.entry()
    let post = entry["request"]?["postData"]
    #expect(post?["mimeType"] == .string("application/json"))
    #expect(post?["text"] == .string("{\"a\":\"\u{1F600}\\n\"}") && post?["_base64"] == nil)
    #expect(entry["response"]?["content"]?["text"] == .string("ok"))
    #expect(entry["response"]?["content"]?["encoding"] == nil)
  }

  @Test(arguments: [
    ([0xFF], "/w=="), ([0xFF, 0xFE], "//4="), ([0x1F, 0x8B, 0x08], "H4sI"), ([0x80, 0, 0, 1], "gAAAAQ=="),
  ])
  func bytesThatAreNoTextAreKept(bytes: [UInt8], text: String) throws {
    let entry = try Self.entry { entry in
      entry.request.body = bytes
      entry.response.body = bytes
    }
    #expect(entry["request"]?["postData"]?["_base64"] == .string(text))
    #expect(entry["response"]?["content"]?["text"] == .string(text))
    #expect(entry["response"]?["content"]?["encoding"] == .string("base64"))
  }

  @Test func whatIsNotKeptIsSaid() throws {
    let entry = try Self.entry { entry in
      entry.request.body = []
      entry.request.bodySize = 70_000
      entry.request.bodyComment = "the first 0 bytes"
      entry.response = HARResponse(status: 0, reason: "")
      entry.comment = "no answer"
      entry.extras = [NameValuePair("_device", "phone-1")]
    }
    #expect(entry["request"]?["bodySize"] == .integer(70_000))
    #expect(entry["request"]?["postData"]?["comment"] == .string("the first 0 bytes"))
    #expect(entry["response"]?["headersSize"] == .integer(-1) && entry["response"]?["status"] == .integer(0))
    #expect(entry["response"]?["content"]?["mimeType"] == .string("x-unknown"))
    #expect(entry["comment"] == .string("no answer") && entry["_device"] == .string("phone-1"))
  }

  @Test func aRequestWithoutABodyHasNoPostData() throws {
    let entry = try Self.entry { $0.request.body = [] }
    #expect(entry["request"]?["postData"] == nil && entry["request"]?["bodySize"] == .integer(0))
  }
}
