/// The ways in which one input can arrive: a parser that is indifferent to them gives the same answers for all.
package enum Cuts {
  /// Lengths of the pieces when everything comes at once.
  package static func whole(_ count: Int) -> [Int] { count == 0 ? [] : [count] }

  /// Lengths of the pieces when every byte comes alone.
  package static func singleBytes(_ count: Int) -> [Int] { Array(repeating: 1, count: count) }

  /// Lengths of the pieces for random cuts, short pieces more often than long ones.
  package static func random(_ count: Int, using generator: inout SeededGenerator) -> [Int] {
    var pieces: [Int] = []
    var left = count
    while left > 0 {
      let longest = generator.chance(0.7) ? min(left, 7) : left
      let piece = Int.random(in: 1...longest, using: &generator)
      pieces.append(piece)
      left -= piece
    }
    return pieces
  }
}
