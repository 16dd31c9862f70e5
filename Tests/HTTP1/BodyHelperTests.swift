import HTTP1
import Support
import Testing

private func mediaType(_ text: String) throws -> MediaType {
  try GuardedBytes(Array(text.utf8)).withSpan { (span) throws(HTTPError) in try MediaType(parsing: span) }
}

private func form(_ text: String, limits: HTTPLimits = HTTPLimits()) throws -> [FormItem] {
  try GuardedBytes(Array(text.utf8)).withSpan { (span) throws(HTTPError) in try FormItem.parse(span, limits: limits) }
}

private func parts(
  _ text: String, boundary: String = "b", limits: HTTPLimits = HTTPLimits()
) throws -> [(part: FormPart, content: String)] {
  let bytes = Array(text.utf8)
  let parts = try GuardedBytes(bytes).withSpan { (span) throws(HTTPError) in
    try FormPart.parse(span, boundary: boundary, limits: limits)
  }
  return parts.map { ($0, String(decoding: bytes[$0.content], as: UTF8.self)) }
}

@Test func mediaTypesIgnoreCaseInNames() throws {
  let type = try mediaType("Application/JSON ; Charset=UTF-8;x=\"a\\\"b;c\" ;")
  #expect(type.essence == "application/json")
  #expect(type.parameter("charset") == "UTF-8")
  #expect(type.parameter("x") == "a\"b;c")
  #expect(type.parameter("y") == nil)
  #expect(try mediaType("text/plain").parameters.isEmpty)
}

@Test(arguments: [
  ("", 0), ("text", 4), ("/plain", 0), ("text/", 5), ("text/plain x", 11), ("text/plain; a", 13),
  ("text/plain; a=", 14),
  ("text/plain; a=\"b", 16), ("text/plain; =b", 12), ("text/plain; a =b", 13), ("text/plain; a=\"\0\"", 15),
  ("text/plain; a=\"\\", 16),
])
func wrongMediaTypesAreRefused(text: String, offset: Int) {
  let error = #expect(throws: HTTPError.self) { try mediaType(text) }
  #expect(error?.code == .invalidMediaType)
  #expect(error?.offset == offset)
}

@Test func formItemsAreDecoded() throws {
  let items = try form("a=1&b=x+y%2B%c3%a9&&c&=d&a=2=3&")
  #expect(items.map(\.name) == ["a", "b", "c", "", "a"])
  #expect(items.map(\.value) == ["1", "x y+é", "", "d", "2=3"])
  #expect(try form("").isEmpty)
}

@Test(arguments: [("a=%", 2), ("a=%4", 2), ("a=%4&b", 2), ("%zz=1", 0), ("x=1&a=%ff", 6), ("%c3=%a9", 0)])
func wrongFormsAreRefused(text: String, offset: Int) {
  let error = #expect(throws: HTTPError.self) { try form(text) }
  #expect(error?.code == .invalidForm)
  #expect(error?.offset == offset)
}

@Test func formItemsAreCounted() throws {
  var limits = HTTPLimits()
  limits.formItems = 3
  #expect(try form("a&b&c&", limits: limits).count == 3)
  let error = #expect(throws: HTTPError.self) { try form("a&b&c&d", limits: limits) }
  #expect(error?.status == 413)
}

private let nameA = "Content-Disposition: form-data; name=\"a\"\r\n"

@Test func aMultipartBodyIsCutAtItsBoundary() throws {
  let parts = try parts(
    "preamble\r\n--b \t\r\n\(nameA)\r\none\r\n--bb\r\n--b\r\ncontent-disposition: form-data; name=f; filename=\"x \\\"y\"\r\n"
      + "Content-Type: text/plain\r\nX-Other: z\r\n\r\n\r\n--b--\r\nepilogue --b")
  #expect(parts.map(\.content) == ["one\r\n--bb", ""])
  #expect(parts.map(\.part.name) == ["a", "f"])
  #expect(parts.map(\.part.filename) == [nil, "x \"y"])
  #expect(parts.map(\.part.contentType?.essence) == [nil, "text/plain"])
}

@Test func anEmptyPartMayShareItsLineEndWithTheDelimiter() throws {
  #expect(try parts("--b\r\n\(nameA)\r\n--b--").map(\.content) == [""])
}

@Test func aMultipartBodyMayHaveNoPart() throws { #expect(try parts("--b--").isEmpty) }

@Test(arguments: [
  ("", HTTPError.Code.invalidMultipart), ("x", .invalidMultipart), ("--c--", .invalidMultipart),
  ("--b", .invalidMultipart),
  ("--b\r\n\(nameA)\r\none", .invalidMultipart), ("--b\r\n\(nameA)\r\none\n--b--", .invalidMultipart),
  ("--b\r\n\(nameA)\r\none\r\n--b-", .invalidMultipart), ("--b\r\n\(nameA)\r\none\r\n--b--x", .invalidMultipart),
  ("--b\r\n\r\none\r\n--b--", .invalidPartHead), ("--b\r\n\(nameA)\(nameA)\r\n\r\n--b--", .invalidPartHead),
  ("--b\r\nContent-Disposition: attachment; name=a\r\n\r\n\r\n--b--", .invalidPartHead),
  ("--b\r\nContent-Disposition: form-data\r\n\r\n\r\n--b--", .invalidPartHead),
  ("--b\r\nContent-Disposition: form-data; name=a; name=b\r\n\r\n\r\n--b--", .invalidPartHead),
  ("--b\r\nno colon\r\n\r\n\r\n--b--", .invalidPartHead), ("--b\r\nX : y\r\n\r\n\r\n--b--", .invalidPartHead),
  ("--b\r\nX: y\n\r\n\r\n--b--", .invalidPartHead),
  ("--b\r\n\(nameA)Content-Type: x\r\n\r\n\r\n--b--", .invalidPartHead),
])
func wrongMultipartBodiesAreRefused(text: String, code: HTTPError.Code) {
  let error = #expect(throws: HTTPError.self) { try parts(text) }
  #expect(error?.code == code)
}

@Test(arguments: ["", "a ", "é", "a\r\n", String(repeating: "x", count: 71)])
func wrongBoundariesAreRefused(boundary: String) {
  let error = #expect(throws: HTTPError.self) { try parts("--\(boundary)--", boundary: boundary) }
  #expect(error?.code == .invalidMultipart)
}

@Test func aBoundaryHasSeventyCharactersAtMost() throws {
  let boundary = String(repeating: "x", count: 70)
  #expect(try parts("--\(boundary)--", boundary: boundary).isEmpty)
}

@Test func partsAndTheirHeadsAreBounded() throws {
  var limits = HTTPLimits()
  limits.partCount = 2
  limits.partHeadBytes = nameA.utf8.count + 2
  let part = "--b\r\n\(nameA)\r\nx\r\n"
  #expect(try parts(part + part + "--b--", limits: limits).count == 2)
  let many = #expect(throws: HTTPError.self) { try parts(part + part + part + "--b--", limits: limits) }
  #expect(many?.code == .tooManyParts)
  limits.partHeadBytes -= 1
  let large = #expect(throws: HTTPError.self) { try parts(part + "--b--", limits: limits) }
  #expect(large?.code == .partHeadTooLarge)
}
