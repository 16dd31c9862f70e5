/// `upload_duration{fleet:couriers,network:lte}`: a metric, or the part of it that has some tags.
package struct MetricSelector: Equatable, Sendable {
  package let metric: Metric
  package let tags: [Named<String>]
  /// As it was written, for reports.
  package let text: String

  static let pattern =
    "^[a-z0-9_]+(\\{ *[A-Za-z0-9_-]+ *: *[^,{}]+(, *[A-Za-z0-9_-]+ *: *[^,{}]+)*\\})?$"
}

extension Reading {
  /// Nil after a problem was noted.
  mutating func selector(_ text: String, at position: SourcePosition) -> MetricSelector? {
    let name = String(text.prefix { $0 != "{" })
    guard let metric = Metric.named(name) else {
      refuse(
        .unknown, position, word: name, as: "metric", known: Metric.all.map(\.name) + Metric.aliases.map(\.name))
      return nil
    }
    guard let tags = tags(text.dropFirst(name.count), at: position) else { return nil }
    return MetricSelector(metric: metric, tags: tags, text: text)
  }

  private mutating func tags(_ text: Substring, at position: SourcePosition) -> [Named<String>]? {
    if text.isEmpty { return [] }
    let remedy = "write metric{tag:value,tag:value}"
    guard text.first == "{", text.last == "}", text.count > 2 else {
      refuse(.wrongType, position, "the tags are not in order", remedy: remedy)
      return nil
    }
    var tags: [Named<String>] = []
    for part in text.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false) {
      let halves = part.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(\.trimmingSpaces)
      guard halves.count == 2, !halves[0].isEmpty, !halves[1].isEmpty else {
        refuse(.wrongType, position, "'\(part)' is no tag", remedy: remedy)
        return nil
      }
      guard isKnown(halves[0], halves[1], at: position) else { return nil }
      tags.append(Named(name: halves[0], position: position, value: halves[1]))
    }
    return tags
  }

  private mutating func isKnown(_ tag: String, _ value: String, at position: SourcePosition) -> Bool {
    let known = Metric.tags + names.fleetTags
    guard known.contains(tag) else {
      refuse(.unknown, position, word: tag, as: "tag", known: known)
      return false
    }
    let values: [String]
    switch tag {
    case "fleet": values = names.names(in: .fleets)
    case "network": values = names.names(in: .networks)
    case "check": values = names.names(in: .checks)
    case "fault": values = names.faultNames
    default: return true
    }
    guard !values.contains(value) else { return true }
    refuse(.undeclared, position, word: value, as: tag, known: values)
    return false
  }
}

extension Substring {
  var trimmingSpaces: String {
    var text = drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
