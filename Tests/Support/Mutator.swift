/// Seeded mutations of byte strings: the usual small damages, and pieces of other inputs of the same language.
package struct Mutator {
  private let corpus: [[UInt8]]
  private let tokens: [[UInt8]]

  /// `tokens` are byte strings with meaning in the language under test ("\r\n", "chunked", "\\ud800" …).
  package init(corpus: [[UInt8]], tokens: [[UInt8]]) {
    precondition(!corpus.isEmpty && !tokens.isEmpty)
    self.corpus = corpus
    self.tokens = tokens
  }

  /// One input: a corpus entry with zero to eight damages.
  package func next(using generator: inout SeededGenerator) -> [UInt8] {
    var bytes = corpus[generator.index(below: corpus.count)]
    for _ in 0..<generator.index(below: 9) { damage(&bytes, using: &generator) }
    return bytes
  }

  private func damage(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
    let place = generator.index(below: bytes.count + 1)
    switch generator.index(below: 8) {
    case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(generator.index(below: 8))
    case 1 where place < bytes.count: bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
    case 2 where place < bytes.count: bytes.remove(at: place)
    case 3: bytes.insert(UInt8.random(in: .min ... .max, using: &generator), at: place)
    case 4: bytes.insert(contentsOf: tokens[generator.index(below: tokens.count)], at: place)
    case 5: bytes.removeSubrange(place...)
    case 6: splice(&bytes, at: place, using: &generator)
    default: repeatPiece(&bytes, from: place, using: &generator)
    }
  }

  private func splice(_ bytes: inout [UInt8], at place: Int, using generator: inout SeededGenerator) {
    let other = corpus[generator.index(below: corpus.count)]
    let from = generator.index(below: other.count + 1)
    bytes.replaceSubrange(place..., with: other[from...])
  }

  private func repeatPiece(_ bytes: inout [UInt8], from place: Int, using generator: inout SeededGenerator) {
    let piece = Array(bytes[place...].prefix(1 + generator.index(below: 32)))
    for _ in 0...generator.index(below: 4) { bytes.insert(contentsOf: piece, at: place) }
  }
}
