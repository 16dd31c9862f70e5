import JSON
import Support

/// A device, or several, that upload over connections of their own.
struct Uploader {
  let port: UInt16

  static func uuid(_ number: Int) -> String {
    let digits = String(number)
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  static func body(_ number: Int, longitude: Double = -73.5) -> String {
    #"{"location":{"uuid":"\#(uuid(number))","timestamp":"2026-07-28T18:00:00.000Z","is_moving":false,"coords":{"latitude":45.5,"longitude":\#(longitude),"accuracy":5}}}"#
  }

  @discardableResult
  func record(
    _ number: Int, of device: String?, longitude: Double = -73.5, token: String? = nil
  ) throws -> (status: Int, body: String) {
    try post("/locations", Self.body(number, longitude: longitude), device: device, token: token)
  }

  func register(_ device: String) throws -> String {
    let body =
      #"{"org":"o","uuid":"\#(device)","model":"m","manufacturer":"f","version":"1","platform":"p","framework":"n"}"#
    let answer = try post("/api/register", body, device: nil)
    return try JSONValue(parsing: answer.body.utf8.span)["accessToken"]?.string ?? ""
  }

  func post(_ path: String, _ body: String, device: String?, token: String? = nil) throws -> (status: Int, body: String)
  {
    try send("POST", path, body, device: device, token: token)
  }

  func send(
    _ method: String, _ path: String, _ body: String = "", device: String? = nil, token: String? = nil
  ) throws -> (status: Int, body: String) {
    let client = try LoopbackClient(port: port)
    var lines = [
      "\(method) \(path) HTTP/1.1", "Host: 127.0.0.1", "Connection: close", "Content-Type: application/json",
    ]
    lines.append("Content-Length: \(body.utf8.count)")
    if let device { lines.append("X-Device-Id: \(device)") }
    if let token { lines.append("Authorization: Bearer \(token)") }
    try client.send((lines + ["", body]).joined(separator: "\r\n"))
    let text = try client.receiveToEnd().text
    let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1)
    return (status, parts.count == 2 ? String(parts[1]) : "")
  }
}
