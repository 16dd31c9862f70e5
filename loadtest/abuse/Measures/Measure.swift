/// What can be asked for on the command line.
enum Measure {
  static func run(_ words: [String], _ bench: Bench) throws(Trouble) -> Bool {
    guard let name = words.first else {
      var isGood = true
      for measure in ["clients", "idle", "trickle", "half", "start"] {
        let isMet = try run([measure], bench)
        isGood = isGood && isMet
      }
      return isGood
    }
    let rest = Array(words.dropFirst())
    switch name {
    case "clients": return try CampaignRun.all(bench, named: rest)
    case "idle": return try Beside.idle(bench).run(seconds: Int64(number(rest, 0) ?? 4))
    case "trickle": return try Beside.trickle(bench).run(seconds: Int64(number(rest, 0) ?? 4))
    case "half": return try HalfLoad(bench: bench).run(rate: number(rest, 0), seconds: Int64(number(rest, 1) ?? 8))
    case "soak": return try Soak(bench: bench).run(minutes: number(rest, 0) ?? 10, rate: number(rest, 1) ?? 1_000)
    case "start": return try Starts(bench: bench).run(filled: rest.first, starts: number(rest, 1) ?? 20)
    default: throw Trouble("no measure is called \"\(name)\"; see loadtest/abuse/run")
    }
  }

  private static func number(_ words: [String], _ place: Int) throws(Trouble) -> Int? {
    guard words.indices.contains(place) else { return nil }
    guard let number = Int(words[place]), number > 0 else { throw Trouble("\"\(words[place])\" is no number above 0") }
    return number
  }
}
