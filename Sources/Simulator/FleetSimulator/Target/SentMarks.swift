import Base

/// The records of the run that were looked up, as eight bytes each.
struct SentMarks {
  private var marks: [UInt64] = []
  private var isSorted = true

  mutating func add(_ uuid: UUID128) {
    marks.append(uuid.mixed)
    isSorted = false
  }

  mutating func contains(_ uuid: UUID128) -> Bool {
    if !isSorted {
      marks.sort()
      isSorted = true
    }
    let wanted = uuid.mixed
    let index = marks.indexBehind { $0 < wanted }
    return index < marks.count && marks[index] == wanted
  }
}
