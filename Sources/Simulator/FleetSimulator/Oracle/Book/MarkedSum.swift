import Base

/// How many records there are, and the sum of their marks: two sets with the same sums are the same set.
struct MarkedSum: Equatable {
  private(set) var count = 0
  private(set) var sum: UInt64 = 0

  mutating func add(_ uuid: UUID128) {
    count += 1
    sum &+= TraceHash.mix(uuid.high ^ TraceHash.mix(uuid.low))
  }
}
