extension TimerQueue {
  @inlinable func position(of token: TimerToken) -> Int? {
    guard token.slot < slots.count else { return nil }
    let slot = slots[token.slot]
    return slot.ticket == token.ticket && slot.payload != nil ? slot.position : nil
  }

  @inlinable mutating func removeKey(at position: Int) -> Payload? {
    let slot = heap[position].slot
    let last = heap.removeLast()
    if last.slot != slot { place(last, at: position) }
    freeSlots.append(slot)
    return slots[slot].payload.take()
  }

  /// Puts a key where another one was, or its own old one, and restores the order in both directions.
  @inlinable mutating func place(_ key: Key, at position: Int) {
    if position > 0 && key.precedes(heap[(position - 1) / 4]) {
      siftUp(key, from: position)
    } else {
      siftDown(key, from: position)
    }
  }

  @inlinable mutating func siftUp(_ key: Key, from start: Int) {
    var position = start
    while position > 0 {
      let parent = (position - 1) / 4
      guard key.precedes(heap[parent]) else { break }
      set(heap[parent], at: position)
      position = parent
    }
    set(key, at: position)
  }

  @inlinable mutating func siftDown(_ key: Key, from start: Int) {
    var position = start
    while true {
      let firstChild = 4 * position + 1
      guard firstChild < heap.count else { break }
      var least = firstChild
      for child in (firstChild + 1)..<max(firstChild + 1, min(firstChild + 4, heap.count))
      where heap[child].precedes(heap[least]) {
        least = child
      }
      guard heap[least].precedes(key) else { break }
      set(heap[least], at: position)
      position = least
    }
    set(key, at: position)
  }

  @inlinable mutating func set(_ key: Key, at position: Int) {
    heap[position] = key
    slots[key.slot].position = position
  }
}
