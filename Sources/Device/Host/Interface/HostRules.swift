package import Base

/// The numbers of a host.
package enum HostRules {
  /// How many commands of one answer are carried out: the last ones (SDK §10.2).
  package static let commandsMax = 100
  /// How often rows that have grown too old are looked for, apart from start and resume (SDK §7.4).
  package static let purgeInterval = Nanoseconds.seconds(3_600)
  /// Beyond, nothing grows old.
  package static let daysMax = 36_500
}
