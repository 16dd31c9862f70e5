import Base
import Testing

@Suite struct HostAndPortTests {
  @Test(
    arguments: [
      ("a", "a", nil), ("a:80", "a", 80), ("127.0.0.1:1", "127.0.0.1", 1), ("[::1]", "::1", nil),
      ("[::1]:65535", "::1", 65_535),
      ("example.org:08", "example.org", 8),
    ] as [(Substring, String, UInt16?)])
  func hostAndPortAreRead(text: Substring, host: String, port: UInt16?) throws {
    let place = try HostAndPort(text)
    #expect(place.host == host && place.port == port)
  }

  @Test(
    arguments: [
      "", ":80", "[]", "[]:80", "[::1", "::1", "::1:80", "a:80:90", "[::1]80", "[::1]a:80", "a]", "a]:80", "a[b",
      "[[a]",
    ] as [Substring])
  func aTextWithoutAHostIsRefused(text: Substring) {
    #expect(throws: HostAndPort.Problem.host) { try HostAndPort(text) }
  }

  @Test(
    arguments: ["a:", "[::1]:", "a:x", "a:65536", "a:0", "[::1]:00", "a:-1", "a:+80", "a: 80", "a:٨٠"]
      as [Substring])
  func aPortIsANumber(text: Substring) {
    #expect(throws: HostAndPort.Problem.port) { try HostAndPort(text) }
  }
}
