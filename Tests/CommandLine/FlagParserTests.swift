import Testing

@testable import CommandLine

@Suite struct FlagParserTests {
  private let flags: [Flag] = [
    .value("listen", "ADDRESS", "where to listen", standard: "127.0.0.1:8080"),
    .value("admin-token", "TOKEN", "who may steer", isSecret: true),
    .toggle("quiet", "say nothing"),
  ]

  private func parse(
    _ words: [String], environment: [String: String] = [:], files: [String: String] = [:],
    operands: ClosedRange<Int> = 0...2
  ) throws(UsageError) -> (FlagValues, [String]) {
    let process = ProcessContext(
      arguments: [], environment: environment, readFile: { files[$0].map { Array($0.utf8) } }, writeOutput: { _ in },
      writeError: { _ in })
    return try FlagParser(flags: flags, operandCount: operands).parse(words, in: process)
  }

  private func message(_ words: [String], operands: ClosedRange<Int> = 0...2) -> String? {
    do throws(UsageError) {
      _ = try parse(words, operands: operands)
      return nil
    } catch {
      return error.message
    }
  }

  @Test func bothSpellingsOfAValueAreRead() throws {
    #expect(try parse(["--listen", ":0"]).0.text("listen") == ":0")
    #expect(try parse(["--listen=:0"]).0.text("listen") == ":0")
    #expect(try parse(["--listen=a=b"]).0.text("listen") == "a=b")
    #expect(try parse(["--listen="]).0.text("listen") == "")
  }

  @Test func theFlagWinsOverTheEnvironmentOverTheFileOverTheDefault() throws {
    let variable = ["ROLLINGROAD_LISTEN": ":1"]
    #expect(try parse([]).0.text("listen") == "127.0.0.1:8080")
    #expect(try parse([], environment: variable).0.text("listen") == ":1")
    #expect(try parse(["--listen", ":2"], environment: variable).0.text("listen") == ":2")

    let file = ["ROLLINGROAD_ADMIN_TOKEN_FILE": "/run/secrets/token"]
    let files = ["/run/secrets/token": " from file\n"]
    #expect(try parse([], environment: file, files: files).0.text("admin-token") == "from file")
    let both = file.merging(["ROLLINGROAD_ADMIN_TOKEN": "plain"]) { old, _ in old }
    #expect(try parse([], environment: both, files: files).0.text("admin-token") == "plain")
  }

  @Test(arguments: [("true", true), ("1", true), ("TRUE", true), ("false", false), ("0", false)])
  func aFlagWithoutAValueIsOnOrOffInTheEnvironment(text: String, isOn: Bool) throws {
    #expect(try parse([], environment: ["ROLLINGROAD_QUIET": text]).0.isOn("quiet") == isOn)
    #expect(try parse(["--quiet"], environment: ["ROLLINGROAD_QUIET": text]).0.isOn("quiet"))
    let error = #expect(throws: UsageError.self) { try parse([], environment: ["ROLLINGROAD_QUIET": "yes please"]) }
    #expect(error?.message == "ROLLINGROAD_QUIET: 'yes please' is not true or false")
  }

  @Test func aValueRemembersWhereItStood() throws {
    #expect(try parse(["--listen", ":2"]).0.value("listen")?.origin == "--listen")
    #expect(try parse([], environment: ["ROLLINGROAD_LISTEN": ":1"]).0.value("listen")?.origin == "ROLLINGROAD_LISTEN")
  }

  @Test func onlySecretsAreReadFromFiles() throws {
    let environment = ["ROLLINGROAD_LISTEN_FILE": "/etc/passwd"]
    #expect(try parse([], environment: environment, files: ["/etc/passwd": "x"]).0.text("listen") == "127.0.0.1:8080")
  }

  @Test func aSecretFileThatCannotBeReadIsNamed() {
    #expect(throws: UsageError("ROLLINGROAD_ADMIN_TOKEN_FILE: cannot read '/nowhere'")) {
      try parse([], environment: ["ROLLINGROAD_ADMIN_TOKEN_FILE": "/nowhere"])
    }
  }

  @Test func operandsAndFlagsMayAlternate() throws {
    let (values, operands) = try parse(["a", "--quiet", "b"])
    #expect(values.isOn("quiet") && operands == ["a", "b"])
    #expect(try parse(["--", "--quiet"]).1 == ["--quiet"])
    #expect(try parse(["-"]).1 == ["-"])
  }

  @Test func mistakesAreNamedWithTheRemedy() {
    #expect(message(["--lisen", "x"]) == "unknown flag '--lisen'; did you mean --listen?")
    #expect(message(["--zzzzzz"]) == "unknown flag '--zzzzzz'")
    #expect(message(["-l"]) == "unknown flag '-l'")
    #expect(message(["--listen"]) == "--listen needs a value: --listen ADDRESS")
    #expect(message(["--listen", "--quiet"]) == "--listen needs a value: --listen ADDRESS")
    #expect(message(["--quiet=yes"]) == "--quiet takes no value")
    #expect(message(["--quiet", "--quiet"]) == "--quiet is given twice")
    #expect(message(["a", "b", "c"]) == "unexpected 'c'")
    #expect(message([], operands: 1...1) == "an argument is missing")
  }

  @Test func aValueThatCannotBeReadNamesItsOrigin() throws {
    let values = try parse([], environment: ["ROLLINGROAD_LISTEN": "ten"]).0
    #expect(throws: UsageError("ROLLINGROAD_LISTEN: 'ten' is not a number")) {
      try values.read("listen", expected: "a number", Quantities.count)
    }
  }
}
