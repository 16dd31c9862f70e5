/// A list that is taken as a whole, iterated and given back, so that its memory is reused.
struct RecycledList<Element> {
  private var elements: [Element] = []

  var isEmpty: Bool { elements.isEmpty }

  mutating func append(_ element: Element) { elements.append(element) }
  func contains(where isWanted: (Element) -> Bool) -> Bool { elements.contains(where: isWanted) }
  mutating func removeAll() { elements.removeAll(keepingCapacity: true) }
  mutating func removeAll(where isUnwanted: (Element) -> Bool) { elements.removeAll(where: isUnwanted) }

  mutating func take() -> [Element] {
    var taken: [Element] = []
    swap(&taken, &elements)
    return taken
  }

  /// Takes the memory back. The caller consumes the list, because shared memory is not reused.
  mutating func giveBack(_ spare: consuming [Element]) {
    spare.removeAll(keepingCapacity: true)
    elements = spare
  }
}
