/// Consecutive rows of a partition that one question looks at.
struct ArrivalStretch {
  let partition: Int64
  /// Row numbers: `after` < row ≤ `through`.
  let after: Int64
  let through: Int64
  /// Where the following stretch begins; nil at the end.
  let next: ArrivalCursor?
}
