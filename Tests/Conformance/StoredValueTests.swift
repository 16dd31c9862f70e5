import Base
import Testing

@testable import BackendStore

/// What is sent, compared with what is stored.
@Suite struct StoredValueTests {
  private func value(_ text: String) throws -> StoredValue { try #require(StoredValue(Array(text.utf8)), "\(text)") }

  @Test(arguments: [
    ("5", "5.0"), ("1e3", "1000"), ("0.1", "1E-1"), ("-0", "0"), ("18446744073709551615", "18446744073709551615"),
    ("0.1234567890123456789", "0.12345678901234568"), ("{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}"),
    ("\"\\u00fc\"", "\"ü\""),
    ("\"\\uD83D\\uDE97\"", "\"🚗\""), ("[1,[2]]", "[ 1, [ 2.0 ] ]"), ("\"a\\/b\"", "\"a/b\""),
  ])
  func theSameIsTheSame(left: String, right: String) throws {
    #expect(try value(left).equals(value(right)))
    #expect(try value(right).equals(value(left)))
  }

  @Test(arguments: [
    ("9007199254740993", "9007199254740992"), ("1.5", "1"), ("null", "\"null\""), ("true", "1"), ("\"1\"", "1"),
    ("18446744073709551615", "18446744073709551616"), ("1234567890123456789", "1234567890123456800"),
    ("1e3", "1"), ("10e9223372036854775807", "1"), ("[1,2]", "[2,1]"), ("{\"a\":1}", "{\"a\":1,\"b\":null}"),
    ("\"a\"", "\"A\""),
    ("0.1", "0.2"),
  ])
  func anotherIsAnother(left: String, right: String) throws {
    #expect(try !value(left).equals(value(right)))
    #expect(try !value(right).equals(value(left)))
  }

  /// docs/conform.md: such coordinates are not judged, under any name.
  @Test(
    arguments: [
      (481_001_000, 48.1001, 1e7), (-116_297_215, -116.2972148, 1e6), (4_551_909, 45.5190912, 1e5),
      (48.1001, 48.1001, nil), (482_001_000, 48.1001, nil), (0, 0, nil), (1_000_000, 0, nil),
    ] as [(Double, Double, Double?)])
  func partsOfADegreeAreRecognized(stored: Double, sent: Double, parts: Double?) {
    #expect(StoredField.partsOfDegree(stored, insteadOf: sent) == parts)
  }

  /// As `simulate` compares them: in capitals they are the same, and a word that is none of the SDK's is the store's own.
  @Test(arguments: [
    ("event", "motionchange", "MotionChange", true, false), ("event", "geofence", "FENCE", false, true),
    ("event", "geofence", "heartbeat", false, false), ("activity.type", "in_vehicle", "IN_VEHICLE", true, false),
    ("geofence.action", "ENTER", "enter", true, false), ("geofence.action", "ENTER", "IN", false, true),
    ("geofence.identifier", "Home", "HOME", false, false), ("extras.a", "a", "A", false, false),
  ])
  func aStoreMayHaveItsOwnWords(field: String, sent: String, stored: String, isSame: Bool, isOwn: Bool) {
    #expect((StoredField.difference(.text(stored), .text(sent), field) == nil) == isSame)
    #expect(StoredField.isOwnWord(.text(stored), insteadOf: .text(sent), field) == isOwn)
  }

  @Test func whatAStrictReaderRefusesCanBeLookedAt() throws {
    #expect(try value("\"x\\ud83d\"").string == "x\u{FFFD}")
    #expect(try value("{\"a\":\"a\\u0000b\"}")["a"]?.string == "a\u{0}b")
    #expect(StoredValue(Array("{\"a\":".utf8)) == nil)
  }

  /// A list under keys has a key for each record.
  @Test func theLastOfEqualKeysCounts() throws {
    let members = (0..<40_000).map { #""\#($0)":{"n":\#($0)}"# }.joined(separator: ",")
    let list = try value(#"{\#(members),"7":{"n":-7}}"#)
    if case .object(let members) = list { #expect(members.count == 40_000) } else { Issue.record("no object") }
    #expect(list["7"]?["n"]?.double == -7 && list["39999"]?["n"]?.double == 39_999)
    // Equal for String, and not for the databases that have stored them.
    let both = try value(#"{"\u00e9":1,"e\u0301":2}"#)
    #expect(both["\u{E9}"]?.double == 1 && both["e\u{301}"]?.double == 2)
  }

  @Test(arguments: [
    "\"2026-07-28T18:34:22.563Z\"", "\"2026-07-28T14:34:22.563-04:00\"", "1785263662563", "1785263662.563",
    "\"2026-07-28 18:34:22.563+00:00\"", "1785263662563000", "1785263662563000000", "\"1785263662563000\"",
    "\"1785263662.563000\"", "\"2026-07-28 18:34:22.563 UTC\"", "\"2026-07-28 20:34:22.563 +0200\"",
    "\"2026-07-28 18:34:22.563 +0000 UTC\"", "\"2026-07-28T18:34:22.563 GMT\"",
    "\"2026-07-28T18:34:22.563Z[UTC]\"", "\"2026-07-28T20:34:22.563+02:00[Europe/Berlin]\"",
    "\"2026-07-28T18:34:22,563Z\"", "\"20260728T183422.563Z\"", "\"20260728T203422,563+0200\"",
  ])
  func anInstantIsReadInEachSpelling(text: String) throws {
    #expect(try value(text).instant?.millisecondsSince1970 == 1_785_263_662_563)
  }

  /// As Java writes a time whose seconds are 0.
  @Test(arguments: [
    ("2026-07-28T18:34Z", true), ("2026-07-28T20:34+02:00", true), ("2026-07-28T20:34+02:00[Europe/Berlin]", true),
    ("2026-07-28 18:34 UTC", true), ("20260728T1834Z", true), ("20260728T1834+00:00", true), ("20260728T18Z", false),
    ("2026-728T1834Z", false), ("20260728T18340Z", false), ("20260728T1834", false), ("2026-07-28T18:34", false),
    ("2026-07-28T18:34Z[UTC", false),
    ("2026-07-28T18Z", false), ("2026-07-28Z18:34", false), ("[", false),
  ])
  func secondsMayBeLeftOut(text: String, isRead: Bool) {
    #expect(StoredValue.text(text).instant?.millisecondsSince1970 == (isRead ? 1_785_263_640_000 : nil))
  }

  /// Whatever a row holds: numbers that are none, and greater ones than any instant.
  @Test(arguments: [
    "nan", "inf", "-1e308", "1e30", "10e9223372036854775807", "9e18", "-9223372036854775808",
  ])
  func aNumberThatIsNoInstantIsNone(digits: String) {
    for value in [StoredValue.number(digits), .text(digits)] { #expect(value.instant == nil) }
    #expect(StoredValue.number(digits).equals(.number(digits)) && !StoredValue.number(digits).equals(.number("7")))
  }

  /// What is kept under a name that is not known is not missing.
  @Test(arguments: [
    (#"{"geometry":{"coordinates":[-116.29,45.5191]}}"#, "45.5191", "$.geometry.coordinates[1]"),
    (#"{"geom":"SRID=4326;POINT(-116.29 45.5191)"}"#, "45.5191", "$.geom"),
    (#"{"doc":"{\"y\":45.51910}"}"#, "45.5191", "$.doc.y"), (#"{"y":455191000}"#, "45.5191", "$.y"),
    (#"{"geom":"01010000002B8716D9CE0F5DC03411363CBDC24640"}"#, "45.5214", "$.geom"),
    (#"{"kind":"motionchange"}"#, #""motionchange""#, "$.kind"),
    (#"{"more":{"a":{"k":"v"}}}"#, #"{"k":"v"}"#, "$.more.a"), (#"{"y":45.52}"#, "45.5191", nil),
    (#"{"y":0,"z":1}"#, "0", nil), (#"{"y":"45.5 north"}"#, "45.5191", nil),
  ])
  func aValueIsFoundUnderAnyName(entry: String, sought: String, place: String?) throws {
    #expect(try value(entry).place(of: try value(sought)) == place)
  }

  @Test func bytesAreAnIdentityOrTextOrDigits() {
    let identity: [UInt8] = [0x3F, 0x25, 0x04, 0xE0, 0x4F, 0x89, 0x41, 0xD3, 0x9A, 0x0C, 3, 5, 0xE8, 0x2C, 0x33, 1]
    #expect(StoredValue(stored: identity).string == "3F2504E0-4F89-41D3-9A0C-0305E82C3301")
    #expect(StoredValue(stored: [0, 0xFF]).string == "00ff")
    #expect(StoredValue(stored: Array(#"{"extras":{"a":1}}"#.utf8)).opened.value(at: "extras.a")?.double == 1)
  }

  @Test func aDifferenceNamesItsPlace() throws {
    let sent = try value(#"{"a":1,"o":{"k":[1,2]}}"#)
    #expect(try value(#"{"o":{"k":[1,2]},"a":1.0}"#).difference(from: sent, at: "extras") == nil)
    #expect(
      try value(#"{"a":1,"o":{"k":[1]}}"#).difference(from: sent, at: "extras") == "extras.o.k: [1] instead of [1,2]")
    #expect(try value(#"{"a":1}"#).difference(from: sent, at: "extras") == "extras.o is missing")
  }
}
