/// Timers in the order (deadline, insertion): of two that are due at the same instant, the one scheduled first comes
/// first, on every machine and in every run.
///
/// A heap of small keys; each payload stays in its slot and the slot knows where its key is, so that a timer can
/// be cancelled or moved in O(log n) and nothing dead remains in the heap. Memory follows the largest number of timers
/// alive at once; below it no operation allocates.
@usableFromInline
package struct TimerQueue<Payload> {
  /// When a timer is due, and where its payload is.
  @usableFromInline
  package struct Key: Comparable {
    @usableFromInline let deadline: MonotonicInstant
    @usableFromInline let insertion: UInt64
    @usableFromInline let slot: Int

    @inlinable init(deadline: MonotonicInstant, insertion: UInt64, slot: Int) {
      self.deadline = deadline
      self.insertion = insertion
      self.slot = slot
    }

    @inlinable
    package static func < (left: Key, right: Key) -> Bool {
      left.deadline == right.deadline ? left.insertion < right.insertion : left.deadline < right.deadline
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

  @usableFromInline package var heap: [Key] = []
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
    insert(key)
    return TimerToken(slot: slot, ticket: insertions)
  }

  /// Moves a timer; among equal deadlines it counts as inserted now. False when it has fired or was cancelled.
  @inlinable
  @discardableResult
  package mutating func reschedule(_ token: TimerToken, at deadline: MonotonicInstant) -> Bool {
    guard let position = position(of: token) else { return false }
    insertions += 1
    replaceKey(at: position, with: Key(deadline: deadline, insertion: insertions, slot: token.slot))
    return true
  }

  /// Nil when the timer has fired or was cancelled before.
  @inlinable
  @discardableResult
  package mutating func cancel(_ token: TimerToken) -> Payload? {
    guard let position = position(of: token) else { return nil }
    return remove(at: position)
  }

  /// Takes out the first timer whose deadline is not after `now`; nil when there is none.
  @inlinable
  package mutating func popDue(_ now: MonotonicInstant) -> (deadline: MonotonicInstant, payload: Payload)? {
    guard let first = heap.first, first.deadline <= now, let payload = remove(at: 0) else { return nil }
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

  @inlinable mutating func remove(at position: Int) -> Payload? {
    let slot = heap[position].slot
    removeKey(at: position)
    freeSlots.append(slot)
    return slots[slot].payload.take()
  }
}

extension TimerQueue: QuaternaryHeap {
  @inlinable
  package mutating func put(_ key: Key, at place: Int) {
    heap[place] = key
    slots[key.slot].position = place
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
