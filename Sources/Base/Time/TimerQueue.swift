/// Timers in the order (deadline, insertion): of two that are due at the same instant, the one scheduled first comes
/// first, on every machine and in every run.
///
/// A 4-ary heap of small keys; each payload stays in its slot and the slot knows where its key is, so that a timer can
/// be cancelled or moved in O(log n) and nothing dead remains in the heap. Memory follows the largest number of timers
/// alive at once; below it no operation allocates.
@usableFromInline
package struct TimerQueue<Payload> {
  @usableFromInline
  struct Key {
    @usableFromInline let deadline: MonotonicInstant
    @usableFromInline let insertion: UInt64
    @usableFromInline let slot: Int

    @inlinable init(deadline: MonotonicInstant, insertion: UInt64, slot: Int) {
      self.deadline = deadline
      self.insertion = insertion
      self.slot = slot
    }

    @inlinable func precedes(_ other: Key) -> Bool {
      deadline == other.deadline ? insertion < other.insertion : deadline < other.deadline
    }
  }

  @usableFromInline
  struct Slot {
    /// Where the key is in the heap; meaningless while the slot is free.
    @usableFromInline var position: Int
    @usableFromInline var ticket: UInt64
    /// Nil while the slot is free.
    @usableFromInline var payload: Payload?

    @inlinable init(position: Int, ticket: UInt64, payload: Payload?) {
      self.position = position
      self.ticket = ticket
      self.payload = payload
    }
  }

  @usableFromInline var heap: [Key] = []
  @usableFromInline var slots: [Slot] = []
  @usableFromInline var freeSlots: [Int] = []
  @usableFromInline var insertions: UInt64 = 0

  @inlinable package init() {}

  @inlinable package var count: Int { heap.count }
  @inlinable package var isEmpty: Bool { heap.isEmpty }
  /// Nil when no timer is scheduled.
  @inlinable package var nextDeadline: MonotonicInstant? { heap.first?.deadline }

  @inlinable
  @discardableResult
  package mutating func schedule(at deadline: MonotonicInstant, _ payload: Payload) -> TimerToken {
    insertions += 1
    let slot: Int
    if let free = freeSlots.popLast() {
      slot = free
      slots[slot].ticket = insertions
      slots[slot].payload = payload
    } else {
      slot = slots.count
      slots.append(Slot(position: heap.count, ticket: insertions, payload: payload))
    }
    let key = Key(deadline: deadline, insertion: insertions, slot: slot)
    heap.append(key)
    siftUp(key, from: heap.count - 1)
    return TimerToken(slot: slot, ticket: insertions)
  }

  /// Moves a timer; among equal deadlines it counts as inserted now. False when it has fired or was cancelled.
  @inlinable
  @discardableResult
  package mutating func reschedule(_ token: TimerToken, at deadline: MonotonicInstant) -> Bool {
    guard let position = position(of: token) else { return false }
    insertions += 1
    place(Key(deadline: deadline, insertion: insertions, slot: token.slot), at: position)
    return true
  }

  /// Nil when the timer has fired or was cancelled before.
  @inlinable
  @discardableResult
  package mutating func cancel(_ token: TimerToken) -> Payload? {
    guard let position = position(of: token) else { return nil }
    return removeKey(at: position)
  }

  /// Takes out the first timer whose deadline is not after `now`; nil when there is none.
  @inlinable
  package mutating func popDue(_ now: MonotonicInstant) -> (deadline: MonotonicInstant, payload: Payload)? {
    guard let first = heap.first, first.deadline <= now, let payload = removeKey(at: 0) else { return nil }
    return (first.deadline, payload)
  }
}

extension TimerQueue: Sendable where Payload: Sendable {}
extension TimerQueue.Key: Sendable {}
extension TimerQueue.Slot: Sendable where Payload: Sendable {}

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

/// Names one scheduled timer of one queue, also after it has gone: tickets are never given twice.
@usableFromInline
package struct TimerToken: Hashable, Sendable {
  @usableFromInline let slot: Int
  @usableFromInline let ticket: UInt64

  @inlinable init(slot: Int, ticket: UInt64) {
    self.slot = slot
    self.ticket = ticket
  }
}
