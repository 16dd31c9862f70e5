package import Scenario
package import Store

/// Where the devices of a run send their records.
package enum RunDestination {
  /// To a server of ours inside the run, over modelled links; this is what it keeps them in.
  case inside(any Store)
  /// To a real server, over sockets, in real time: `factor` seconds of the devices in each second of the network.
  case outside(Carrier, factor: Double, TargetDesk)
  /// To a real server in virtual time, which waits for each answer.
  case lockstep(Carrier, LatencySource, TargetDesk)
}

/// What a real server does for the run beside taking records.
package struct TargetDesk {
  /// Says what it has stored; nil: nobody can.
  package var proof: (any StoreProof)?
  /// Nil: the run asks for none.
  package var faults: TargetFaults?
}
