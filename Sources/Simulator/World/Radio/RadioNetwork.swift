/// A network that a device may have: its place in the table of links of a run.
package struct RadioNetwork: Hashable, Sendable {
  package let number: UInt16

  init(number: Int) {
    precondition((0..<Int(UInt16.max)).contains(number), "a run has at most 65,535 networks")
    self.number = UInt16(number)
  }

  // Those that every table has.
  package static let wifi = RadioNetwork(number: 0)
  package static let lte = RadioNetwork(number: 1)
  package static let hsdpa = RadioNetwork(number: 2)
  package static let edge = RadioNetwork(number: 3)
  package static let none = RadioNetwork(number: 4)
  package static let gprs = RadioNetwork(number: 5)
}
