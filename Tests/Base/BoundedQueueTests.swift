import Base
import Support
import Testing

@Suite struct BoundedQueueTests {
  @Test(arguments: 1...5) func answersFullAtItsCapacityAndKeepsWhatItHolds(capacity: Int) {
    var queue = BoundedQueue<Int>(capacity: capacity)
    for element in 0..<capacity {
      #expect(!queue.isFull)
      let wasTaken = queue.append(element)
      #expect(wasTaken)
    }
    #expect(queue.isFull)
    let wasTaken = queue.append(99)
    #expect(!wasTaken)
    #expect(queue.count == capacity)
    var taken: [Int] = []
    while let element = queue.popFirst() { taken.append(element) }
    #expect(taken == Array(0..<capacity))
    #expect(queue.isEmpty)
  }

  /// Every sequence of ten appends and pops, for small capacities: the ring passes its seam at every offset.
  @Test(arguments: 1...4) func behavesLikeAListOfLimitedLengthInEverySequence(capacity: Int) {
    for sequence in 0..<(1 << 10) {
      var queue = BoundedQueue<Int>(capacity: capacity)
      var list: [Int] = []
      for step in 0..<10 {
        if sequence >> step & 1 == 1 {
          let fits = list.count < capacity
          if fits { list.append(step) }
          let wasTaken = queue.append(step)
          #expect(wasTaken == fits, "sequence \(sequence)")
        } else {
          let element = queue.popFirst()
          #expect(element == (list.isEmpty ? nil : list.removeFirst()), "sequence \(sequence)")
        }
        #expect(queue.count == list.count && queue.first == list.first, "sequence \(sequence)")
      }
    }
  }

  @Test func letsGoOfWhatWasTaken() {
    final class Payload {}
    var queue = BoundedQueue<Payload>(capacity: 2)
    weak var payload: Payload?
    do {
      let strong = Payload()
      payload = strong
      let wasTaken = queue.append(strong)
      #expect(wasTaken)
    }
    #expect(payload != nil)
    _ = queue.popFirst()
    #expect(payload == nil)
  }

  @Test func refusesToHoldNothing() async {
    await #expect(processExitsWith: .failure) { _ = BoundedQueue<Int>(capacity: 0) }
  }
}
