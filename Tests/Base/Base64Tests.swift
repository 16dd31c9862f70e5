import Testing

@testable import Base

/// The vectors of RFC 4648 §10, there and back.
@Suite struct Base64Tests {
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ])
  func vectors(plain: String, coded: String) {
    #expect(Base64.text(Array(plain.utf8)) == coded)
    #expect(Base64.bytes(coded) == Array(plain.utf8))
  }

  @Test(arguments: ["Zg=", "Zm9*", "Zm 9v", "=Zm9"]) func whatIsNoneIsRefused(text: String) {
    #expect(Base64.bytes(text) == nil)
  }
}
