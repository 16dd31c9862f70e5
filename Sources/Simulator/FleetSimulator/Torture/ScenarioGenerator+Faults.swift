import Base
import Scenario

extension ScenarioGenerator {
  /// Returns a random fault, for some devices at some time.
  mutating func fault(_ index: Int) -> String {
    let seconds = minutes * 60
    let (start, length) = (1 + stream.index(below: seconds - 1), 1 + stream.index(below: seconds / 2))
    let once = #""at": "\#(start)s", "for": "\#(length)s""#
    let time =
      stream.chance(0.7) || isLong
      ? once : #""rate": { "perDeviceHour": \#(1 + stream.index(below: 20)) }, "for": "\#(1 + length / 4)s""#
    let selection = one(of: [
      "{}", #"{ "fleet": "first" }"#, #"{ "fraction": 0.5 }"#, #"{ "count": \#(1 + stream.index(below: 3)) }"#,
    ])
    let action = one(of: FaultAction.examples(from: &stream))
    // Several of them in one body exceed a server's limit (413), and the SDK then retries the same body forever (SDK §9.1).
    // This is by design, and no queue would ever drain.
    let when = action.contains("oversized-extras") ? once : time
    return #"{ "name": "fault\#(index)", \#(when), "select": \#(selection), \#(action) }"#
  }
}
