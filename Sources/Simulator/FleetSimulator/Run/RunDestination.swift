package import Scenario
package import Store

/// Where the devices of a run send their records.
package enum RunDestination {
  /// To a server of ours inside the run, over modelled links; this is what it keeps them in.
  case inside(any Store)
  /// To a real server, over sockets, in real time: `factor` seconds of the devices in each second of the network.
  /// `proof` says what it has stored; nil: nobody can.
  case outside(Carrier, factor: Double, (any StoreProof)?)
  /// To a real server in virtual time, which waits for each answer.
  case lockstep(Carrier, LatencySource, (any StoreProof)?)
}
