internal import JSON

/// What a value may look like: the part of a table that schema and reference are made of.
indirect enum Shape: Sendable {
  case boolean
  case integer(ClosedRange<Int64>)
  case number(ClosedRange<Double>)
  /// Any text, or one that a pattern describes; the words say it for people.
  case text(pattern: String?, words: String)
  case choice([String])
  case measure(Measure)
  case list(Shape, count: ClosedRange<Int>)
  /// Names of the author's choice, or of `names` when there are any.
  case map(Shape, names: [String]?)
  case section(SectionShape)
  case variants(tag: String, standard: String?, [VariantShape])
  case anyOf([Shape])
  /// The SDK's configuration under its own names.
  case configuration
  /// Whatever the words say; the schema leaves it open.
  case open(String)
}

/// The keys of one section.
struct SectionShape: Sendable {
  /// Under which the schema defines it and the reference describes it; of one use only.
  let name: String
  let text: String
  let keys: [KeyShape]
}

/// One key of a section.
struct KeyShape: Sendable {
  let name: String
  let shape: Shape
  let isRequired: Bool
  /// What holds when the key is not there; nil when nothing does.
  let standard: JSONValue?
  let text: String
  /// Why this version cannot do it; nil when it can.
  var notYet: String?
}

/// One of several sections among which a tag decides.
struct VariantShape: Sendable {
  let name: String
  let shape: Shape
  let notYet: String?
}
