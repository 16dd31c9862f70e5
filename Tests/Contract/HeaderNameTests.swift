import Contract
import Testing

/// RFC 9110 §5.1: names of fields ignore case.
@Suite struct HeaderNameTests {
  @Test func `Letters are the same in both cases, and no other characters are`() {
    for one in UInt8(0)...127 {
      for other in UInt8(0)...127 {
        let (first, second) = (Unicode.Scalar(one), Unicode.Scalar(other))
        let areSame = first.properties.lowercaseMapping == second.properties.lowercaseMapping
        #expect(String(first).isSameName(String(second)) == areSame, "\(first) and \(second)")
      }
    }
  }

  @Test func `A name is compared as a whole`() {
    #expect("content-TYPE".isSameName("Content-Type"))
    #expect(!"Content-Typ".isSameName("Content-Type"))
    #expect(!"Content-Type ".isSameName("Content-Type"))
    #expect(!"Content-Tÿpe".isSameName("Content-Type"))
    #expect("".isSameName(""))
    let field = NameValuePair("x-run-ID", "1")
    #expect(field.hasName(HeaderName.runID) && field.hasName("X-Run-Id"))
    #expect(!field.hasName(HeaderName.deviceID) && !field.hasName("X-Run"))
  }
}
