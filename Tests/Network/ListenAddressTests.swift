import Network
import Testing

/// What can be written after --listen.
@Suite struct ListenAddressTests {
  @Test(arguments: [
    ("127.0.0.1:8080", "127.0.0.1:8080"), ("0.0.0.0:0", "0.0.0.0:0"), ("[::1]:0", "[::1]:0"),
    ("[2001:DB8:0:0:0:0:0:1]:65535", "[2001:db8::1]:65535"), ("[::]:80", "[::]:80"), (":8080", ":8080"),
    ("localhost:8080", "127.0.0.1:8080"),
  ])
  func anAddressIsRead(text: String, meaning: String) throws {
    #expect(try ListenAddress(parsing: text).description == meaning)
  }

  @Test(arguments: [
    "", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+80", "127.0.0.1:8o",
    "127.0.0.1: 80", "127.0.1:80", "256.0.0.1:80", "::1:8080", "[::1]", "[::1]8080", "[127.0.0.1]:80", "[]:80",
    "example.org:80", "[::1:80", "http://127.0.0.1:80", "127.0.0.1:٨٠",
  ])
  func anythingElseIsRefusedWithAReason(text: String) {
    let error = #expect(throws: NetworkError.self) { try ListenAddress(parsing: text) }
    guard case .badAddress(text, let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!reason.isEmpty)
  }

  @Test func onlyAnAddressWithoutHostTakesBothFamilies() throws {
    #expect(try ListenAddress(parsing: ":0").takesBothFamilies)
    #expect(try !ListenAddress(parsing: "[::]:0").takesBothFamilies)
    #expect(try !ListenAddress(parsing: "0.0.0.0:0").takesBothFamilies)
  }

  @Test(arguments: [
    ("127.0.0.1:1", true), ("127.9.8.7:1", true), ("[::1]:1", true), ("128.0.0.1:1", false), ("[::]:1", false),
    ("[::2]:1", false), ("[1::1]:1", false), ("0.0.0.0:1", false),
  ])
  func thisMachineIsRecognised(text: String, isLoopback: Bool) throws {
    #expect(try ListenAddress(parsing: text).address.isLoopback == isLoopback)
  }
}
