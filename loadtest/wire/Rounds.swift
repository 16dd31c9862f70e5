/// Several measures in turn, again and again, so that a slow moment of the machine meets all of them alike.
enum Rounds {
  private static let count = 21

  /// Prints a table: the median of the rounds for each measure, and how many times faster than the baseline that is.
  static func run(title: String, baseline: Measure, candidates: [Measure]) throws {
    let measures = [baseline] + candidates
    var times = [[Double]](repeating: [], count: measures.count)
    for measure in measures { _ = try measure.nanosecondsPerOperation() }
    for _ in 0..<count {
      for index in measures.indices { times[index].append(try measures[index].nanosecondsPerOperation()) }
    }
    let medians = times.map { $0.sorted()[count / 2] }
    print("\n\(title)")
    print(row("", "ns/op", "ratio", "allocs/op"))
    for (measure, median) in zip(measures, medians) {
      let allocations = try measure.allocationsPerOperation()
      print(row(measure.name, "\(Int(median))", decimal(medians[0] / median), decimal(allocations)))
    }
  }

  private static func row(_ name: String, _ columns: String...) -> String {
    columns.reduce(name + String(repeating: " ", count: max(0, 36 - name.count))) { line, column in
      line + String(repeating: " ", count: max(1, 11 - column.count)) + column
    }
  }

  private static func decimal(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
}
