/// All series of one name; the exposition format wants them together under one HELP and TYPE.
struct MetricFamily: Sendable {
  enum Kind: String {
    case counter, gauge, histogram
  }

  let name: String
  let help: String
  let kind: Kind
  private(set) var series: [MetricSeries] = []
  private var labelSets: Set<Set<MetricSeries.Label>> = []

  init(name: String, help: String, kind: Kind, first: MetricSeries) {
    precondition(MetricFamily.isName(name, allowingColon: true), "\(name) is no metric name")
    self.name = name
    self.help = help
    self.kind = kind
    append(first)
  }

  /// The names that stand at the beginning of sample lines.
  var sampleNames: [String] {
    kind == .histogram ? [name, "\(name)_bucket", "\(name)_sum", "\(name)_count"] : [name]
  }

  mutating func append(_ new: MetricSeries) {
    for label in new.labels {
      precondition(MetricFamily.isName(label.name, allowingColon: false), "\(label.name) is no label name")
      precondition(!label.name.hasPrefix("__"), "\(label.name) is reserved")
      precondition(kind != .histogram || label.name != "le", "le belongs to the buckets")
    }
    let names = Set(new.labels.map(\.name))
    precondition(names.count == new.labels.count, "a label of \(name) is repeated")
    precondition(labelSets.insert(Set(new.labels)).inserted, "a series of \(name) is repeated")
    series.append(new)
  }

  /// `[a-zA-Z_:][a-zA-Z0-9_:]*`, https://prometheus.io/docs/concepts/data_model; labels have no colon.
  private static func isName(_ text: String, allowingColon: Bool) -> Bool {
    guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
      default: allowingColon && byte == UInt8(ascii: ":")
      }
    }
  }
}
