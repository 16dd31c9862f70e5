/// A regular expression. A search takes time linear in the text for every pattern, because both are untrusted: all reachable
/// states are followed at once (K. Thompson, 1968), without backtracking.
///
/// Literals, `.`, `[a-z]`, `[^…]`, `\d \w \s` and their complements, `( )`, `|`, `* + ? {m,n}`, `^` and `$`. A match may begin
/// anywhere.
package struct TextPattern: Equatable, Sendable {
  /// The maximum number of steps that a pattern may compile to.
  static let stepsMax = 5_000

  private let steps: [PatternStep]

  package init(_ text: String) throws(PatternError) {
    var parser = PatternParser(text)
    steps = try parser.program()
  }

  package func isFound(in subject: String) -> Bool {
    var search = PatternSearch(steps)
    var isAtStart = true
    for scalar in subject.unicodeScalars {
      search.begin(isAtStart: isAtStart, isAtEnd: false)
      if search.isFound { return true }
      search.take(scalar)
      isAtStart = false
    }
    search.begin(isAtStart: isAtStart, isAtEnd: true)
    return search.isFound
  }
}

/// Why a text is not a pattern.
package struct PatternError: Error, Equatable, CustomStringConvertible {
  /// The number of characters before the error.
  package let offset: Int
  package let reason: String

  package var description: String { "\(reason) at character \(offset + 1)" }
}

/// A set of characters.
struct ScalarClass: Equatable, Sendable {
  var ranges: [ClosedRange<UInt32>]
  var isOpposite = false

  static let digits = ScalarClass(ranges: [0x30...0x39])
  static let words = ScalarClass(ranges: [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
  static let spaces = ScalarClass(ranges: [0x09...0x0D, 0x20...0x20])
  static let any = ScalarClass(ranges: [0x0A...0x0A], isOpposite: true)

  init(ranges: [ClosedRange<UInt32>], isOpposite: Bool = false) {
    self.ranges = ranges
    self.isOpposite = isOpposite
  }

  init(_ scalar: Unicode.Scalar) { self.init(ranges: [scalar.value...scalar.value]) }

  func contains(_ scalar: Unicode.Scalar) -> Bool { ranges.contains { $0.contains(scalar.value) } != isOpposite }

  /// Returns the set of `\d` and the like; nil for another letter.
  static func named(_ letter: Unicode.Scalar) -> ScalarClass? {
    switch letter {
    case "d": digits
    case "w": words
    case "s": spaces
    case "D": ScalarClass(ranges: digits.ranges, isOpposite: true)
    case "W": ScalarClass(ranges: words.ranges, isOpposite: true)
    case "S": ScalarClass(ranges: spaces.ranges, isOpposite: true)
    default: nil
    }
  }
}

enum PatternStep: Equatable, Sendable {
  case take(ScalarClass)
  /// Continue at both steps.
  case fork(Int, Int)
  case jump(Int)
  case atStart, atEnd, found
}

/// The steps that the text so far can reach.
private struct PatternSearch {
  private let steps: [PatternStep]
  private var reached: [Int] = []
  private var isReached: [Bool]
  private(set) var isFound = false

  init(_ steps: [PatternStep]) {
    self.steps = steps
    isReached = Array(repeating: false, count: steps.count)
  }

  /// Starts a match here, and evaluates the anchors of those in progress.
  mutating func begin(isAtStart: Bool, isAtEnd: Bool) {
    var waiting = [0] + reached.reversed()
    reached = []
    for index in isReached.indices { isReached[index] = false }
    while let step = waiting.popLast() {
      guard !isReached[step] else { continue }
      isReached[step] = true
      switch steps[step] {
      case .take: reached.append(step)
      case .fork(let first, let second): waiting += [second, first]
      case .jump(let next): waiting.append(next)
      case .atStart: if isAtStart { waiting.append(step + 1) }
      case .atEnd: if isAtEnd { waiting.append(step + 1) } else { reached.append(step) }
      case .found: isFound = true
      }
    }
  }

  mutating func take(_ scalar: Unicode.Scalar) {
    reached = reached.compactMap { step in
      if case .take(let set) = steps[step], set.contains(scalar) { step + 1 } else { nil }
    }
  }
}

private struct PatternParser {
  private indirect enum Node {
    case empty, atStart, atEnd
    case scalar(ScalarClass)
    case sequence([Node])
    case either([Node])
    case repeated(Node, least: Int, most: Int?)
  }

  private static let depthMax = 50

  private let scalars: [Unicode.Scalar]
  private var place = 0
  private var depth = 0
  private var steps: [PatternStep] = []

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  mutating func program() throws(PatternError) -> [PatternStep] {
    let node = try alternatives()
    if place < scalars.count { throw error("a ) without a (") }
    try emit(node)
    return steps + [.found]
  }

  private func error(_ reason: String) -> PatternError { PatternError(offset: place, reason: reason) }

  private var next: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

  private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    place += 1
    return true
  }

  private mutating func alternatives() throws(PatternError) -> Node {
    var found = [try sequence()]
    while skip("|") { found.append(try sequence()) }
    return found.count == 1 ? found[0] : .either(found)
  }

  private mutating func sequence() throws(PatternError) -> Node {
    var found: [Node] = []
    while let scalar = next, scalar != "|", scalar != ")" { found.append(try repeats(try atom())) }
    return found.count == 1 ? found[0] : found.isEmpty ? .empty : .sequence(found)
  }

  private mutating func repeats(_ node: Node) throws(PatternError) -> Node {
    var node = node
    while let scalar = next {
      switch scalar {
      case "*": node = .repeated(node, least: 0, most: nil)
      case "+": node = .repeated(node, least: 1, most: nil)
      case "?": node = .repeated(node, least: 0, most: 1)
      case "{":
        place += 1
        let least = try number()
        let most = skip(",") ? next == "}" ? nil : try number() : least
        guard next == "}" else { throw error("} is missing") }
        if let most, most < least { throw error("{m,n} needs m ≤ n") }
        node = .repeated(node, least: least, most: most)
      default: return node
      }
      place += 1
      // Lazy or greedy makes no difference to whether there is a match.
      _ = skip("?")
    }
    return node
  }

  private mutating func number() throws(PatternError) -> Int {
    var value: Int?
    while let scalar = next, ("0"..."9").contains(scalar) {
      value = (value ?? 0) * 10 + Int(scalar.value - 0x30)
      guard value ?? 0 <= 1_000 else { throw error("a number above 1000") }
      place += 1
    }
    guard let value else { throw error("a number is missing") }
    return value
  }

  private mutating func atom() throws(PatternError) -> Node {
    guard let scalar = next else { return .empty }
    place += 1
    switch scalar {
    case ".": return .scalar(.any)
    case "^": return .atStart
    case "$": return .atEnd
    case "[": return .scalar(try set())
    case "(":
      if skip("?"), !skip(":") { throw error("only (?: may follow a (") }
      depth += 1
      guard depth <= Self.depthMax else { throw error("parentheses nested too deeply") }
      let node = try alternatives()
      depth -= 1
      guard skip(")") else { throw error("a ) is missing") }
      return node
    case "*", "+", "?", "{":
      place -= 1
      throw error("nothing to repeat before \(scalar)")
    case "\\": return .scalar(try escaped())
    default: return .scalar(ScalarClass(scalar))
    }
  }

  private mutating func escaped() throws(PatternError) -> ScalarClass {
    guard let letter = next else { throw error("a \\ at the end") }
    place += 1
    if let set = ScalarClass.named(letter) { return set }
    switch letter {
    case "n": return ScalarClass("\n")
    case "r": return ScalarClass("\r")
    case "t": return ScalarClass("\t")
    default:
      guard !letter.properties.isAlphabetic, !("0"..."9").contains(letter) else {
        throw error("\\\(letter) is not known")
      }
      return ScalarClass(letter)
    }
  }

  private mutating func set() throws(PatternError) -> ScalarClass {
    var set = ScalarClass(ranges: [], isOpposite: skip("^"))
    var isFirst = true
    while let scalar = next, isFirst || scalar != "]" {
      isFirst = false
      let low = try member()
      guard next == "-", place + 1 < scalars.count, scalars[place + 1] != "]" else {
        if low.isOpposite { throw error("\\D, \\W and \\S cannot stand in [ ]") }
        set.ranges += low.ranges
        continue
      }
      place += 1
      let high = try member()
      guard low.ranges.count == 1, high.ranges.count == 1, low.ranges[0].count == 1, high.ranges[0].count == 1,
        low.ranges[0].lowerBound <= high.ranges[0].lowerBound
      else { throw error("a range goes from one character to a later one") }
      set.ranges.append(low.ranges[0].lowerBound...high.ranges[0].lowerBound)
    }
    guard skip("]") else { throw error("a ] is missing") }
    return set
  }

  private mutating func member() throws(PatternError) -> ScalarClass {
    guard let scalar = next else { throw error("a ] is missing") }
    place += 1
    return scalar == "\\" ? try escaped() : ScalarClass(scalar)
  }

  private mutating func emit(_ node: Node) throws(PatternError) {
    guard steps.count < TextPattern.stepsMax else { throw error("the pattern is too large") }
    switch node {
    case .empty: break
    case .atStart: steps.append(.atStart)
    case .atEnd: steps.append(.atEnd)
    case .scalar(let set): steps.append(.take(set))
    case .sequence(let nodes): for node in nodes { try emit(node) }
    case .either(let nodes): try emit(either: nodes)
    case .repeated(let node, let least, let most):
      for _ in 0..<least { try emit(node) }
      guard let most else {
        let fork = steps.count
        steps.append(.fork(0, 0))
        try emit(node)
        steps.append(.jump(fork))
        steps[fork] = .fork(fork + 1, steps.count)
        return
      }
      var forks: [Int] = []
      for _ in least..<max(least, most) {
        forks.append(steps.count)
        steps.append(.fork(0, 0))
        try emit(node)
      }
      for fork in forks { steps[fork] = .fork(fork + 1, steps.count) }
    }
  }

  private mutating func emit(either nodes: [Node]) throws(PatternError) {
    var jumps: [Int] = []
    for (index, node) in nodes.enumerated() {
      guard index < nodes.count - 1 else {
        try emit(node)
        break
      }
      let fork = steps.count
      steps.append(.fork(0, 0))
      try emit(node)
      jumps.append(steps.count)
      steps.append(.jump(0))
      steps[fork] = .fork(fork + 1, steps.count)
    }
    for jump in jumps { steps[jump] = .jump(steps.count) }
  }
}
