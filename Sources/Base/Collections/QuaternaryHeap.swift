/// A heap in an array whose nodes have four children, the smallest key first. `put` is called for every move of a key, so that
/// an owner can track the position of each key, and move or remove it.
@usableFromInline
package protocol QuaternaryHeap {
  associatedtype Key: Comparable

  var heap: [Key] { get set }

  /// Stores a key at an existing position of the array.
  mutating func put(_ key: Key, at place: Int)
}

extension QuaternaryHeap {
  @inlinable
  package mutating func insert(_ key: Key) {
    heap.append(key)
    siftUp(key, from: heap.count - 1)
  }

  /// Removes a key by moving the last one into its place.
  @inlinable
  package mutating func removeKey(at place: Int) {
    let last = heap.removeLast()
    if place < heap.count { replaceKey(at: place, with: last) }
  }

  /// Replaces a key and restores the order in both directions.
  @inlinable
  package mutating func replaceKey(at place: Int, with key: Key) {
    if place > 0 && key < heap[(place - 1) / 4] { siftUp(key, from: place) } else { siftDown(key, from: place) }
  }

  @inlinable
  mutating func siftUp(_ key: Key, from start: Int) {
    var place = start
    while place > 0 {
      let parent = (place - 1) / 4
      guard key < heap[parent] else { break }
      put(heap[parent], at: place)
      place = parent
    }
    put(key, at: place)
  }

  @inlinable
  mutating func siftDown(_ key: Key, from start: Int) {
    var place = start
    while true {
      let firstChild = 4 * place + 1
      guard firstChild < heap.count else { break }
      var least = firstChild
      for child in firstChild..<min(firstChild + 4, heap.count) where heap[child] < heap[least] { least = child }
      guard heap[least] < key else { break }
      put(heap[least], at: place)
      place = least
    }
    put(key, at: place)
  }
}
