import Testing

@testable import Conformance

/// A token with another letter was never given (docs/conform.md, changed-token-refused).
@Suite struct ChangedTokenTests {
  @Test func theSignatureOfAJWTIsChanged() {
    let changed = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.aaaaaaaaaaaaaaaa".withAnotherLetter
    #expect(changed == "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.aaaaaaaabaaaaaaa")
  }

  @Test func theEndOfAnotherTokenIsChanged() {
    #expect("0123456789abcdef".withAnotherLetter == "0123456789abcdaf")
    #expect("0123456789ABCDEF".withAnotherLetter == "0123456789ABCDaF")
    // What is too short, or has no letters behind its last full stop, has nothing to be changed.
    for token in ["", "short", "a.b.", "abcdefgh.ijklmnop."] { #expect(token.withAnotherLetter == nil) }
  }
}
