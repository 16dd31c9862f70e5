import Base
import Scenario

/// All figures of a run: one cell for each measure of each fleet, and one for each part that a threshold asks for. Their
/// number follows from the scenario alone.
struct MeasureTable {
  /// A part of a measure that some threshold is about.
  struct Selection {
    let measure: Measure
    let filter: SampleFilter
    var cell = Cell()
  }

  private let fleetCount: Int
  private var cells: [Cell]
  private(set) var selections: [Selection] = []
  /// Of each measure, the selections that have a cell of their own.
  private var own: [[Int]]

  init(fleetCount: Int) {
    self.fleetCount = fleetCount
    cells = Array(repeating: Cell(), count: Measure.allCases.count * max(fleetCount, 1))
    own = Array(repeating: [], count: Measure.allCases.count)
  }

  /// Gives the number under which the figure is to be had.
  mutating func select(_ measure: Measure, _ filter: SampleFilter) -> Int {
    selections.append(Selection(measure: measure, filter: filter))
    if !filter.isOfFleetsOnly { own[measure.rawValue].append(selections.count - 1) }
    return selections.count - 1
  }

  mutating func count(_ measure: Measure, _ tags: SampleTags, _ more: Int = 1) {
    cells[measure.rawValue * fleetCount + tags.fleet].count(more)
    for index in own[measure.rawValue] where selections[index].filter.takes(tags, countsSettling: true) {
      selections[index].cell.count(more)
    }
  }

  /// Of requests in the settle phase only what asks for it is told.
  mutating func judge(_ measure: Measure, _ isHit: Bool, _ tags: SampleTags) {
    if !tags.isSettling { cells[measure.rawValue * fleetCount + tags.fleet].judge(isHit) }
    for index in own[measure.rawValue] where selections[index].filter.takes(tags) {
      selections[index].cell.judge(isHit)
    }
  }

  mutating func record(_ measure: Measure, _ value: UInt64, _ tags: SampleTags) {
    if !tags.isSettling {
      cells[measure.rawValue * fleetCount + tags.fleet].record(value, upTo: measure.highestTrackableValue)
    }
    for index in own[measure.rawValue] where selections[index].filter.takes(tags) {
      selections[index].cell.record(value, upTo: measure.highestTrackableValue)
    }
  }

  mutating func record(_ measure: Measure, _ span: Nanoseconds, _ tags: SampleTags) {
    record(measure, UInt64(max(span.count, 0) / 1_000), tags)
  }

  /// What is known of the whole only; it stands with the first fleet.
  mutating func add(_ measure: Measure, hits: Int = 0, of total: Int) {
    cells[measure.rawValue * fleetCount].add(hits: hits, of: total)
  }

  func cell(_ measure: Measure, fleet: Int) -> Cell { cells[measure.rawValue * fleetCount + fleet] }

  /// Of the fleets that `fleets` names.
  func cell(_ measure: Measure, of fleets: [Bool]) -> Cell {
    var sum = Cell()
    for fleet in fleets.indices where fleets[fleet] { sum.add(cell(measure, fleet: fleet)) }
    return sum
  }

  func cell(of selection: Int) -> Cell {
    let selected = selections[selection]
    return selected.filter.isOfFleetsOnly ? cell(selected.measure, of: selected.filter.fleets) : selected.cell
  }
}
