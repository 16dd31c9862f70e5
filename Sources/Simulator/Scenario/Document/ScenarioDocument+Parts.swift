internal import JSON

/// What a document is made of, for somebody who takes it apart.
extension ScenarioDocument {
  /// Every member and every element below a value, the outer before the inner.
  package func places(below place: DocumentPath) -> [DocumentPath] {
    switch self[place] {
    case .object(let object):
      object.members.flatMap { member in
        let inner = place.appending(.key(member.key))
        return [inner] + places(below: inner)
      }
    case .array(let elements):
      elements.indices.flatMap { index in
        let inner = place.appending(.index(index))
        return [inner] + places(below: inner)
      }
    case .null, .bool, .integer, .double, .string, nil: []
    }
  }

  /// The duration that stands at a place as a text, in seconds.
  package func seconds(at place: DocumentPath) -> Double? {
    guard case .string(let text)? = self[place] else { return nil }
    return ScenarioDocument.seconds(text)
  }

  /// Of a duration as it is written.
  package static func seconds(_ text: String) -> Double? { Measure.duration.read(text) }

  package mutating func setSeconds(_ seconds: Double, at place: DocumentPath) {
    set(place, to: .string(Measure.duration.text(seconds)))
  }
}

extension DocumentPath {
  package func appending(_ steps: Step...) -> DocumentPath { DocumentPath(self.steps + steps) }
}
