import Testing

@testable import Conformance

/// A token with another letter was never given (docs/conform.md, changed-token-refused).
@Suite struct ChangedTokenTests {
  @Test func theSignatureOfAJWTIsChanged() {
    let changed = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.aaaaaaaaaaaaaaaa".withAnotherLetter
    #expect(changed == "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.aaaaaaaabaaaaaaa")
  }

  /// `{"alg":"HS256"}` becomes `{"alg":"none"}`.
  @Test func theSignatureOfAJWTIsTakenAway() {
    let unsigned = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.aaaaaaaaaaaaaaaa".unsigned()
    #expect(unsigned == "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.")
    for token in ["", "0123456789abcdef", "a.b.c", "eyJhIjoxfQ.eyJzdWIiOiJ4In0.aaaa", "eyJhbGciOiJub25lIn0.e30."] {
      #expect(token.unsigned() == nil, "\(token)")
    }
  }

  /// `{"alg":"nOnE"}`, and the signature of the token that was given.
  @Test func theAlgorithmIsSpelledOtherwise() {
    let given = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.aaaaaaaaaaaaaaaa"
    #expect(given.unsigned(as: "nOnE") == "eyJhbGciOiJuT25FIn0.eyJzdWIiOiJ4In0.")
    #expect(given.unsigned(keepingSignature: true) == "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.aaaaaaaaaaaaaaaa")
  }

  @Test func theEndOfATokenIsTakenAway() {
    #expect(
      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.aaaaaaaaaaaaaaaa".withoutItsEnd
        == "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.aaaaaaaa")
    #expect("0123456789abcdef".withoutItsEnd == "0123456789abcd")
    #expect("short".withoutItsEnd == nil)
  }

  @Test func theEndOfAnotherTokenIsChanged() {
    #expect("0123456789abcdef".withAnotherLetter == "0123456789abcdaf")
    #expect("0123456789ABCDEF".withAnotherLetter == "0123456789ABCDaF")
    // What is too short, or has no letters behind its last full stop, has nothing to be changed.
    for token in ["", "short", "a.b.", "abcdefgh.ijklmnop."] { #expect(token.withAnotherLetter == nil) }
  }
}
