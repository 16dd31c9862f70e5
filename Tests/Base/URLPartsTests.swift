import Base
import Testing

@Suite struct URLPartsTests {
  @Test(
    arguments: [
      ("http://a:80/x", "a:80", "http://a:80/x"), ("http://user:secret@a:80/x?q#f", "a:80", "http://a:80/x?q#f"),
      ("http://user:se@cret@a", "a", "http://a"), ("http://user:secret@/x", "", "http:///x"),
      ("http://user:secret@", "", "http://"), ("http:///x@y", "", "http:///x@y"), ("a/x", "a", "a/x"), ("", "", ""),
    ])
  func aHostHasNoUser(url: String, host: String, shown: String) {
    #expect(URLParts(url).host == host && URLParts(url).withoutUser == shown)
  }
}
