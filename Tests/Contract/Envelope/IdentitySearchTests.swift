import Testing

@testable import Contract

/// SDK §22 row 30: records do not say which device they come from; the body around them may.
struct IdentitySearchTests {
  private static func find(_ body: String) throws -> String? {
    var envelope = Envelope()
    try EnvelopeReader().read(body.utf8.span, into: &envelope)
    var identity = Array("kept:".utf8)
    if IdentitySearch.append(of: envelope, in: body.utf8.span, to: &identity) {
      return String(decoding: identity, as: UTF8.self)
    }
    for range in envelope.records {
      if try IdentitySearch.append(ofRecord: Array(body.utf8)[range].span, to: &identity) {
        return String(decoding: identity, as: UTF8.self)
      }
    }
    #expect(identity == Array("kept:".utf8))
    return nil
  }

  @Test(
    arguments: [
      (#""device_id":"a""#, "a"), (#""deviceId":"b""#, "b"), (#""device":{"model":"m","uuid":"c"}"#, "c"),
      (#""device":{"uuid":"c"},"deviceId":"b""#, "b"), (#""deviceId":"b","device_id":"a","device":{"uuid":"c"}"#, "a"),
      (#""device_id":"","deviceId":"b""#, "b"), (#""device_id":null,"deviceId":"b""#, "b"),
      (#""device_id":"a","deviceId":"b""#, "a"), (#""device_id":42"#, "42"),
      (#""d\u0065vice_id":"\u00e4 \"1\"""#, "ä \"1\""), (#""device_id":"first","device_id":"last""#, "last"),
      (#""device_id":{"uuid":"x"},"device":"y""#, nil), (#""deviceid":"x","device":{"id":"x"}"#, nil),
      (#""uuid":"x""#, nil),
    ] as [(String, String?)])
  func theIdentityIsFoundBesideTheRecordsOrInABareOne(members: String, identity: String?) throws {
    let expected = identity.map { "kept:" + $0 }
    #expect(try Self.find(#"{"location":{"lat":1,"lng":2},\#(members)}"#) == expected)
    #expect(try Self.find(#"{\#(members),"locations":[{"lat":1,"lng":2}]}"#) == expected)
    #expect(try Self.find(#"{"lat":1,"lng":2,\#(members)}"#) == expected)
    #expect(try Self.find(#"[{"lat":1,"lng":2,"extras":{\#(members)}}]"#) == expected)
    #expect(try Self.find(#"[{"lat":1,"lng":2,\#(members),"extras":{"device_id":"less"}}]"#) == expected ?? "kept:less")
  }

  @Test func whatIsNoObjectHasNoIdentity() throws {
    #expect(try Self.find(#"[17,"x",{"device_id":"x"}]"#) == nil)
    #expect(try Self.find(#"{"location":{"lat":1,"lng":2,"extras":["device_id"]}}"#) == nil)
  }
}
