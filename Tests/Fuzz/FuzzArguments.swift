import Glibc

/// The command line of the fuzzer; anything it does not understand ends the process with status 2.
struct FuzzArguments {
  private(set) var seed = UInt64.random(in: 0...UInt64(UInt32.max))
  private(set) var duration = Duration.seconds(365 * 86_400)
  private(set) var firstIteration = 0
  private(set) var endIteration = Int.max
  private(set) var names: [String] = []

  init(_ arguments: ArraySlice<String>, names known: [String]) {
    var rest = arguments
    var iterations: Int?
    var minutes: Double?
    while let argument = rest.popFirst() {
      switch argument {
      case "--seed": seed = Self.number(rest.popFirst())
      case "--from": firstIteration = Self.number(rest.popFirst())
      case "--iterations": iterations = Self.number(rest.popFirst())
      case let name where known.contains(name): names.append(name)
      default: minutes = Self.number(argument)
      }
    }
    if names.isEmpty { names = known }
    guard (minutes == nil) != (iterations == nil) else { Self.explain() }
    if let minutes { duration = .seconds(minutes * 60) }
    if let iterations { endIteration = firstIteration + iterations }
  }

  private static func number<Number: LosslessStringConvertible>(_ text: String?) -> Number {
    guard let text, let number = Number(text) else { explain() }
    return number
  }

  private static func explain() -> Never {
    print("usage: fuzz MINUTES|--iterations N [--seed S] [--from ITERATION] [json] [http1] [tokens]")
    exit(2)
  }
}
