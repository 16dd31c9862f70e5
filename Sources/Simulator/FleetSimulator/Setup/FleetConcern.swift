/// What a draw of the simulator is for, beside `Concern` of the world and what a device and its link draw.
enum FleetConcern: UInt64 {
  case arrivals = 80
  case tripDistance = 81
  /// How late a crossing is reported, and how far off the position is that comes with it.
  case crossing = 82
  case coarsePosition = 83
}
