import Base

/// The records of the run that were looked for, as eight bytes each.
struct SentMarks {
  private var marks: [UInt64] = []
  private var isSorted = true

  mutating func add(_ uuid: UUID128) {
    marks.append(SentMarks.mark(uuid))
    isSorted = false
  }

  mutating func contains(_ uuid: UUID128) -> Bool {
    if !isSorted {
      marks.sort()
      isSorted = true
    }
    let wanted = SentMarks.mark(uuid)
    var (low, high) = (0, marks.count)
    while low < high {
      let middle = (low + high) / 2
      if marks[middle] < wanted { low = middle + 1 } else { high = middle }
    }
    return low < marks.count && marks[low] == wanted
  }

  private static func mark(_ uuid: UUID128) -> UInt64 { TraceHash.mix(uuid.high ^ TraceHash.mix(uuid.low)) }
}
