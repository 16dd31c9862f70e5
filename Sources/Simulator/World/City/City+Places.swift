import Base

extension City {
  /// Where the owner of a device lives: on a local street.
  package func home(of device: UInt64, seed: UInt64) -> Address {
    var stream = Concern.home.stream(seed: seed, device: device)
    let isNorthSouth = stream.chance(0.5)
    let line = City.localLine(stream.index(below: lines(isNorthSouth) / 4 * 3))
    return address(
      on: Street(isNorthSouth: isNorthSouth, line: line), along: stream.uniform(), inBlock: stream.uniform())
  }

  /// Where the owner works: on a street that is not local, near the centre more often than at the edge.
  package func work(of device: UInt64, seed: UInt64) -> Address {
    var stream = Concern.work.stream(seed: seed, device: device)
    let isNorthSouth = stream.chance(0.5)
    // The mean of two uniform numbers has its peak in the middle.
    let across = 0.5 * (stream.uniform() + stream.uniform())
    let line = Int(across * Double(lines(isNorthSouth) / 4)) * 4
    let along = 0.5 * (stream.uniform() + stream.uniform())
    return address(on: Street(isNorthSouth: isNorthSouth, line: line), along: along, inBlock: stream.uniform())
  }

  package var depotCount: Int { max(1, zones.count / 16) }

  /// On an arterial street; `number` counts from 0 to `depotCount`.
  package func depot(_ number: Int) -> Address {
    precondition(number >= 0 && number < depotCount, "there is no such depot")
    var stream = Concern.places.stream(seed: seed, device: Concern.city, n: UInt64(number) * 4)
    let isNorthSouth = stream.chance(0.5)
    let line = stream.index(below: lines(isNorthSouth) / 8) * 8 + 4
    return address(
      on: Street(isNorthSouth: isNorthSouth, line: line), along: stream.uniform(), inBlock: stream.uniform())
  }

  /// Some address at most so many blocks away in each direction, by two draws for the place and two within it.
  func address(near middle: Address, withinBlocks reach: Int, from stream: inout RandomStream) -> Address {
    let isNorthSouth = stream.chance(0.5)
    let (column, row) =
      middle.street.isNorthSouth ? (middle.street.line, middle.block) : (middle.block, middle.street.line)
    let (line, block) = isNorthSouth ? (column, row) : (row, column)
    func moved(_ position: Int, _ end: Int) -> Int {
      min(max(position - reach + stream.index(below: 2 * reach + 1), 0), end - 1)
    }
    let street = Street(isNorthSouth: isNorthSouth, line: moved(line, lines(isNorthSouth)))
    return Address(
      street: street, block: moved(block, lines(!isNorthSouth)), metres: metres(inBlock: stream.uniform()))
  }

  /// How many lines a kind of street has, without the last, which bounds the city.
  private func lines(_ isNorthSouth: Bool) -> Int { isNorthSouth ? columns : rows }

  private func address(on street: Street, along: Double, inBlock: Double) -> Address {
    let blocks = lines(!street.isNorthSouth)
    return Address(street: street, block: Int(along * Double(blocks)), metres: metres(inBlock: inBlock))
  }

  /// Not at the crossings themselves, which belong to two streets.
  private func metres(inBlock fraction: Double) -> Double { (0.05 + 0.9 * fraction) * blockMetres }

  /// The line of a local street, counted among the local streets only: three between two that are not.
  private static func localLine(_ number: Int) -> Int { number / 3 * 4 + 1 + number % 3 }
}
