/// A list that is taken out whole, gone through and given back, so that its memory is used again.
struct RecycledList<Element> {
  private var elements: [Element] = []

  var isEmpty: Bool { elements.isEmpty }

  mutating func append(_ element: Element) { elements.append(element) }
  mutating func removeAll() { elements.removeAll(keepingCapacity: true) }
  mutating func removeAll(where isUnwanted: (Element) -> Bool) { elements.removeAll(where: isUnwanted) }

  mutating func take() -> [Element] {
    var taken: [Element] = []
    swap(&taken, &elements)
    return taken
  }

  /// Consumed by the caller: memory that is shared is not used again.
  mutating func giveBack(_ spare: consuming [Element]) {
    spare.removeAll(keepingCapacity: true)
    elements = spare
  }
}
