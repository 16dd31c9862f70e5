import Base
import Drive
import Testing

/// Scripts of keys.
@Suite struct DriveStepTests {
  @Test func lettersWordsAndTimesMakeAScript() throws {
    let steps = try DriveStep.script("d 90s stop # red light\n 5m, drain\tq")
    #expect(
      steps == [
        .press(.drive), .wait(.seconds(90)), .press(.stop), .wait(.seconds(300)), .drain(DriveStep.longestDrain),
        .press(.quit),
      ])
  }

  @Test(arguments: [
    ("wlak", "did you mean 'walk'?"), ("60", "times as 90s"), ("%", "times as 90s"), ("5x", "times as 90s"),
  ])
  func aWordThatMeansNothingIsNamed(word: String, hint: String) {
    #expect { try DriveStep.script("w \(word)") } throws: { error in
      "\(error)".hasPrefix("'\(word)' is neither a key nor a time; ") && "\(error)".contains(hint)
    }
  }

  @Test func everyKeyHasALetterOfItsOwn() {
    #expect(Set(DriveKey.allCases.map(\.letter)).count == DriveKey.allCases.count)
    for key in DriveKey.allCases { #expect(DriveKey(letter: key.letter) == key && DriveKey.table.contains(key.help)) }
  }
}
