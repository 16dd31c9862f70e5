/// A strict reader of the text exposition format 0.0.4, written from its grammar and knowing nothing of the writer.
struct ExpositionPage {
  struct Malformed: Error {
    let line: Int
    let reason: String
  }

  struct Sample {
    let name: String
    let labels: [String: String]
    let value: Double
  }

  struct Family {
    let name: String
    let help: String
    let type: String
    var samples: [Sample] = []
  }

  private(set) var families: [Family] = []

  init(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.isEmpty || text.hasSuffix("\n") else { throw Malformed(line: 0, reason: "no line feed at the end") }
    var help: (name: String, text: String)?
    for (index, line) in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .enumerated()
    {
      var scanner = LineScanner(Array(line), number: index + 1)
      if scanner.skip("# HELP ") {
        help = (try scanner.name(), try scanner.helpText())
      } else if scanner.skip("# TYPE ") {
        let name = try scanner.name()
        guard let pending = help, pending.name == name else { throw scanner.malformed("TYPE without its HELP") }
        guard !families.contains(where: { $0.name == name }) else { throw scanner.malformed("family repeated") }
        families.append(Family(name: name, help: pending.text, type: try scanner.type()))
        help = nil
      } else {
        try append(try scanner.sample(), scanner)
      }
    }
    guard help == nil else { throw Malformed(line: 0, reason: "HELP at the end") }
  }

  private mutating func append(_ sample: Sample, _ scanner: LineScanner) throws {
    guard let family = families.last else { throw scanner.malformed("a sample before any TYPE") }
    let suffixes = family.type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
    guard suffixes.contains(where: { family.name + $0 == sample.name }) else {
      throw scanner.malformed("\(sample.name) does not belong to \(family.name)")
    }
    guard !family.samples.contains(where: { $0.name == sample.name && $0.labels == sample.labels }) else {
      throw scanner.malformed("series repeated")
    }
    families[families.count - 1].samples.append(sample)
  }

  func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
    families.flatMap(\.samples).first { $0.name == name && $0.labels == labels }?.value
  }
}

private struct LineScanner {
  private let scalars: [Unicode.Scalar]
  private let number: Int
  private var position = 0

  init(_ scalars: [Unicode.Scalar], number: Int) {
    self.scalars = scalars
    self.number = number
  }

  func malformed(_ reason: String) -> ExpositionPage.Malformed { .init(line: number, reason: reason) }

  mutating func skip(_ text: String) -> Bool {
    guard scalars[position...].starts(with: text.unicodeScalars) else { return false }
    position += text.unicodeScalars.count
    return true
  }

  mutating func name() throws -> String {
    let start = position
    while position < scalars.count, isNamePart(scalars[position], first: position == start) { position += 1 }
    guard position > start else { throw malformed("a name was expected") }
    return string(start)
  }

  private func isNamePart(_ scalar: Unicode.Scalar, first: Bool) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "_", ":": true
    case "0"..."9": !first
    default: false
    }
  }

  private func string(_ start: Int) -> String { String(String.UnicodeScalarView(scalars[start..<position])) }

  mutating func helpText() throws -> String {
    guard skip(" ") else { throw malformed("a space was expected") }
    var text = String.UnicodeScalarView()
    while position < scalars.count { text.append(try scalar(escapes: ["\\": "\\", "n": "\n"])) }
    return String(text)
  }

  mutating func type() throws -> String {
    guard skip(" ") else { throw malformed("a space was expected") }
    let type = try name()
    guard position == scalars.count, ["counter", "gauge", "histogram"].contains(type) else { throw malformed(type) }
    return type
  }

  mutating func sample() throws -> ExpositionPage.Sample {
    let name = try name()
    var labels: [String: String] = [:]
    if skip("{") {
      repeat {
        let label = try self.name()
        guard skip("=\""), labels[label] == nil else { throw malformed("label \(label)") }
        var value = String.UnicodeScalarView()
        while !skip("\"") { value.append(try scalar(escapes: ["\\": "\\", "n": "\n", "\"": "\""])) }
        labels[label] = String(value)
      } while skip(",")
      guard skip("}") else { throw malformed("} was expected") }
    }
    guard skip(" ") else { throw malformed("a space was expected") }
    let start = position
    position = scalars.count
    guard let value = Double(string(start)) else { throw malformed("\(string(start)) is no number") }
    return ExpositionPage.Sample(name: name, labels: labels, value: value)
  }

  private mutating func scalar(escapes: [Unicode.Scalar: Unicode.Scalar]) throws -> Unicode.Scalar {
    guard position < scalars.count else { throw malformed("the line ends inside a value") }
    let scalar = scalars[position]
    position += 1
    guard scalar == "\\" else { return scalar }
    guard position < scalars.count, let meaning = escapes[scalars[position]] else { throw malformed("bad escape") }
    position += 1
    return meaning
  }
}
