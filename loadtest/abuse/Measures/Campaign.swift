import Base

/// A kind of abuse, and how soon the server has to be rid of it.
struct Campaign: Sendable {
  let name: String
  let habits: [Habit]
  /// From the last connect to the last socket closed. Where the server answers 408 first, its linger time of 5 s is in it.
  let allowed: Nanoseconds
  /// How long clients that are thrown out come back.
  var lasts = Nanoseconds.seconds(10)

  var connections: Int { habits.reduce(0) { $0 + $1.connections } }

  /// Seconds of silence after which the server is told to close; the other limits are its defaults.
  static let idleSeconds: Int64 = 10
  private static let head = 10.0
  private static let linger = 5.0
  private static let write = 30.0
  private static let slack = 1.5

  private static func within(_ seconds: Double) -> Nanoseconds { .milliseconds(Int64((seconds + slack) * 1_000)) }

  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  private static let post = "POST /locations HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"

  static let all: [Campaign] = [
    Campaign(
      name: "slow heads",
      habits: [Habit(connections: 1_000, opening: bytes("GET /healthz HTTP/1.1\r\nX-Slow: "), piece: bytes("a"))],
      allowed: within(head + linger)),
    Campaign(
      name: "slow bodies",
      habits: [
        Habit(connections: 1_000, opening: bytes(post + "Content-Length: 1000000\r\n\r\n{"), piece: bytes(" "))
      ], allowed: within(head + linger)),
    // What came fast lies in memory until the rest comes or the time is up. Bytes that come in one read with the head pay for
    // nothing, and each KiB behind them pays for a second.
    Campaign(
      name: "bursts of slow bodies",
      habits: [
        Habit(
          connections: 500,
          opening: bytes(
            post + "Content-Length: 1000000\r\n\r\n{\"location\":\"" + String(repeating: "x", count: 40_000)),
          piece: bytes("x"))
      ], allowed: within(head + 30 + linger)),
    Campaign(
      name: "large bodies that stall",
      habits: [
        Habit(
          connections: 100,
          opening: bytes(
            post + "Content-Length: 8000000\r\n\r\n{\"location\":\"" + String(repeating: "x", count: 4_000_000)),
          piece: bytes("x"))
      ], allowed: within(head + 30 + linger)),
    Campaign(
      name: "slow readers",
      habits: [
        Habit(
          connections: 100, opening: bytes("GET /admin/v1/uuids HTTP/1.1\r\nHost: a\r\n\r\n"), reads: false,
          receiveBuffer: 4_096),
        Habit(
          connections: 100,
          opening: bytes("GET /admin/v1/devices/load-1/locations?format=ndjson HTTP/1.1\r\nHost: a\r\n\r\n"),
          reads: false,
          receiveBuffer: 4_096),
      ], allowed: within(write)),
    Campaign(
      name: "tiny chunks",
      habits: [
        Habit(
          connections: 64, opening: bytes(post + "Transfer-Encoding: chunked\r\n\r\n"),
          piece: bytes(String(repeating: "1\r\na\r\n", count: 5_000)), interval: .milliseconds(10))
      ], allowed: within(30 + linger)),
    Campaign(
      name: "endless pipelining",
      habits: [
        Habit(
          connections: 32, piece: bytes(String(repeating: "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", count: 500)),
          interval: .milliseconds(20), returnsAfter: .milliseconds(20)),
        Habit(
          connections: 32, piece: bytes(String(repeating: "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", count: 500)),
          interval: .milliseconds(20), reads: false, receiveBuffer: 4_096),
      ], allowed: within(write)),
    Campaign(
      name: "half-open",
      habits: [
        Habit(connections: 500, opening: bytes("POST /locations HTTP/1.1\r\nHo")),
        Habit(connections: 500, opening: bytes(post + "Content-Length: 500\r\n\r\n{\"loc")),
        Habit(
          connections: 100, opening: bytes(post + "Content-Length: 500\r\n\r\n{\"loc"), then: .endsOutput,
          returnsAfter: .milliseconds(200)),
      ], allowed: within(head + linger)),
    Campaign(
      name: "resets",
      habits: [
        Habit(
          connections: 16, opening: bytes(post + "Content-Length: 500\r\n\r\n{\"loc"), then: .resets,
          returnsAfter: .milliseconds(10)),
        Habit(
          connections: 16, opening: UploadRequest(client: 9_999, salt: 3, records: 1).bytes, then: .resets,
          returnsAfter: .milliseconds(10)),
      ], allowed: within(1)),
    Campaign(
      name: "3,000 idle",
      habits: [
        Habit(connections: 1_500),
        Habit(connections: 1_500, opening: bytes("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")),
      ], allowed: within(Double(idleSeconds))),
  ]
}
