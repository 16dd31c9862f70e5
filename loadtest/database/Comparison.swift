/// Durations of the same work done twice, and how they compare.
struct Comparison {
  private let name: String
  private var pairs: [(plain: Duration, wrapped: Duration)] = []

  init(_ name: String) { self.name = name }

  mutating func add(plain: Duration, wrapped: Duration) { pairs.append((plain, wrapped)) }

  func line(rows: Int) -> String {
    func nanoseconds(_ durations: [Duration]) -> Int { Int(median(durations.map { $0 / .nanoseconds(rows) })) }
    let plain = nanoseconds(pairs.map(\.plain))
    let wrapped = nanoseconds(pairs.map(\.wrapped))
    let overhead = (median(pairs.map { $0.wrapped / $0.plain }) - 1) * 100
    let rounded = (overhead * 10).rounded() / 10
    return
      "\(name): C \(plain) ns/row, Database \(wrapped) ns/row, median overhead of \(pairs.count) pairs \(rounded) %"
  }

  private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
