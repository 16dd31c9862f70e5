import Base

/// A page in the Prometheus text exposition format 0.0.4,
/// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
///
/// All samples of a family follow its beginning.
struct ExpositionPage {
  static let contentType = MetricsRegistry.contentType

  private(set) var bytes: [UInt8] = []

  enum Kind: String {
    case counter, gauge, summary
  }

  /// Begins a family.
  mutating func begin(_ name: String, _ kind: Kind, help: String) {
    append("# HELP \(name) ")
    append(escaped: help, quotes: false)
    append("\n# TYPE \(name) \(kind.rawValue)\n")
  }

  mutating func sample(_ name: String, _ labels: [(name: String, value: String)], _ value: String) {
    append(name)
    for (index, label) in labels.enumerated() {
      append(index == 0 ? "{\(label.name)=\"" : ",\(label.name)=\"")
      append(escaped: label.value, quotes: true)
      append("\"")
    }
    append(labels.isEmpty ? " \(value)\n" : "} \(value)\n")
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Help text escapes backslash and line feed; the value of a label, which stands in quotes, the quote as well.
  private mutating func append(escaped text: String, quotes: Bool) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\\"): append("\\\\")
      case UInt8(ascii: "\n"): append("\\n")
      case UInt8(ascii: "\"") where quotes: append("\\\"")
      default: bytes.append(byte)
      }
    }
  }
}
