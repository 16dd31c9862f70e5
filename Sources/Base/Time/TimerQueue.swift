/// Timers in the order (deadline, insertion): of two with the same deadline, the one scheduled first fires first, on every
/// machine and in every run.
///
/// A heap of small keys; each payload stays in its slot and the slot knows the position of its key, so that a timer can be
/// cancelled or moved in O(log n) and no dead entries remain in the heap. Memory follows the maximum number of concurrent
/// timers; below it no operation allocates.
@usableFromInline
package struct TimerQueue<Payload> {
  /// The deadline of a timer, and the slot of its payload.
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
    /// The position of the key in the heap; undefined while the slot is free.
    @usableFromInline var position: Int
    @usableFromInline var ticket: UInt64
    /// The payload; nil while the slot is free.
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
  /// The deadline of the next timer; nil when none is scheduled.
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

  /// Moves a timer; among equal deadlines it counts as inserted now. Returns false when it has fired or was cancelled.
  @inlinable
  @discardableResult
  package mutating func reschedule(_ token: TimerToken, at deadline: MonotonicInstant) -> Bool {
    guard let position = position(of: token) else { return false }
    insertions += 1
    replaceKey(at: position, with: Key(deadline: deadline, insertion: insertions, slot: token.slot))
    return true
  }

  /// Returns nil when the timer has already fired or was cancelled.
  @inlinable
  @discardableResult
  package mutating func cancel(_ token: TimerToken) -> Payload? {
    guard let position = position(of: token) else { return nil }
    return remove(at: position)
  }

  /// Removes and returns the first timer whose deadline is not after `now`; nil when there is none.
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

/// Identifies one timer of one queue, even after it has fired: tickets are never reused.
@usableFromInline
package struct TimerToken: Hashable, Sendable {
  @usableFromInline let slot: Int
  @usableFromInline let ticket: UInt64

  @inlinable init(slot: Int, ticket: UInt64) {
    self.slot = slot
    self.ticket = ticket
  }
}
