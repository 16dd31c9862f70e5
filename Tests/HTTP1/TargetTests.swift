import HTTP1
import Support
import Testing

private func read(_ line: String) throws -> RequestHead {
  var head = RequestHead()
  var parser = RequestParser()
  let bytes = Array("\(line) HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
  _ = try parser.next(bytes.span, into: &head)
  return head
}

private func path(_ target: String) throws -> [String] {
  let head = try read("GET \(target)")
  return try head.segments.map { try #require(head.fields.text($0)) }
}

@Test(arguments: [
  ("/", []), ("/a", ["a"]), ("/a/", ["a", ""]), ("/a/b", ["a", "b"]), ("//", ["", ""]), ("/a//b", ["a", "", "b"]),
  ("/a%20b", ["a b"]), ("/a%2Fb/c", ["a/b", "c"]), ("/%41%c3%A9/x", ["Aé", "x"]), ("/a+b", ["a+b"]),
  ("/...", ["..."]), ("/.a", [".a"]), ("/a.", ["a."]), ("/..a", ["..a"]), ("/a%25b", ["a%b"]), ("/a%3Fb", ["a?b"]),
  ("/[x]|y", ["[x]|y"]), ("/-._~!$&'()*+,;=:@", ["-._~!$&'()*+,;=:@"]), ("/%2F", ["/"]), ("/a%5Cb", ["a\\b"]),
  ("/a%2F..%2Fb", ["a/../b"]), ("/..%2Fb", ["../b"]), ("/b%2F.", ["b/."]), ("/...", ["..."]),
])
func aPathIsCutOnlyAtWrittenSlashes(target: String, segments: [String]) throws {
  #expect(try path(target) == segments)
  #expect(try path(target + "?/x/../y") == segments)
}

@Test(arguments: [
  ("/.", HTTPError.Code.dotSegment, 1), ("/..", .dotSegment, 1), ("/a/../b", .dotSegment, 3),
  ("/a/./b", .dotSegment, 3),
  ("/%2e", .dotSegment, 1), ("/%2e%2E/x", .dotSegment, 1), ("/.%2e/x", .dotSegment, 1),
  ("/a%", .invalidEscape, 2), ("/a%4", .invalidEscape, 2), ("/a%4/1", .invalidEscape, 2), ("/%zz", .invalidEscape, 1),
  ("/%4", .invalidEscape, 1), ("/%+1", .invalidEscape, 1), ("/x?a=%4", .invalidEscape, 5),
  ("/a%00", .controlInPath, 2), ("/%0a", .controlInPath, 1), ("/%1F", .controlInPath, 1), ("/%7f", .controlInPath, 1),
  ("/%ff", .pathNotUTF8, 1), ("/x/%c0%af", .pathNotUTF8, 3), ("/%ed%a0%80", .pathNotUTF8, 1), ("/%c3", .pathNotUTF8, 1),
  ("/a#b", .invalidTargetCharacter, 2), ("/a?b#c", .invalidTargetCharacter, 4), ("/\"", .invalidTargetCharacter, 1),
  ("/a\\b", .invalidTargetCharacter, 2), ("a", .invalidTarget, 0), ("*", .invalidTarget, 0), ("*a", .invalidTarget, 0),
  ("ftp://h/", .invalidTarget, 0), ("http:/h", .invalidTarget, 0), ("http://", .invalidHost, 7),
  ("h:80", .invalidTarget, 0),
])
func surprisesInATargetAreRefused(target: String, code: HTTPError.Code, offset: Int) {
  let error = #expect(throws: HTTPError.self) { try read("GET \(target)") }
  #expect(error?.code == code)
  #expect(error?.offset == 4 + offset)
  #expect(error?.status == 400)
}

@Test func anAbsoluteTargetOverridesHost() throws {
  let head = try read("GET HTTP://Example.com:81/a/b?c")
  #expect(head.form == .absolute)
  #expect(head.fields.text(try #require(head.authority)) == "Example.com:81")
  #expect(head.segments.count == 2)
  #expect(head.fields.text(try #require(head.query)) == "c")
}

@Test func anAbsoluteTargetNeedsNoPath() throws {
  for target in ["http://h", "https://h?q", "http://[::1]:80"] {
    let head = try read("GET \(target)")
    #expect(head.form == .absolute)
    #expect(head.path.isEmpty)
    #expect(head.segments.isEmpty)
  }
}

@Test func theAsteriskSuitsOptionsAlone() throws {
  #expect(try read("OPTIONS *").form == .asterisk)
  #expect(try read("OPTIONS http://h").form == .asterisk)
  #expect(try read("OPTIONS http://h/").form == .absolute)
  #expect(try read("OPTIONS /").form == .origin)
}

@Test func anEmptyHostIsAHost() throws {
  var head = RequestHead()
  var parser = RequestParser()
  let bytes = Array("GET / HTTP/1.1\r\nHost:\r\n\r\n".utf8)
  #expect(try parser.next(bytes.span, into: &head).event == .head)
  #expect(head.authority?.isEmpty == true)
}
