/// What iOS is told that the positions are for (`CLActivityType`).
package enum LocationPurpose: Int, CaseIterable, Sendable {
  case other = 1
  case automotiveNavigation = 2
  case fitness = 3
  case otherNavigation = 4
  case airborne = 5
}
