import Base
import Contract

/// Why a crossing that was not reported in time may be no mistake. The SDK need not have noticed it, or it may have noticed and could
/// not make a record.
struct CrossingExcuses {
  let owed: OwedReport
  let fence: TrueFence
  /// All fences of the device.
  let fences: WatchedFences
  let life: TrueLife
  let now: MonotonicInstant

  var mayBeUnnoticed: Bool {
    mayBePassedOver || isBackAtRim || isSelectedLate || isSelectedBehindTheEntry || mayLackPositions
  }

  /// A record that cannot be written, or for which iOS has no position, is not reported (SDK §15.3.5).
  var mayBeUnrecorded: Bool { !life.isSound(since: owed.since) || life.lacksPlaceOfCrossing(at: owed.since) }

  /// The time of the selection of fences that counted at the crossing, or of an earlier one.
  private var selected: MonotonicInstant { owed.since - OwedReport.choice }

  /// There were more fences nearby than the system monitors (SDK §15.2.2).
  private var mayBePassedOver: Bool {
    let metres = owed.isEntry ? life.metresBetweenChoices(since: selected) : 0
    return fences.isCrowded(life, since: selected, until: now, behind: metres + life.errors.most(since: selected))
  }

  /// The device crossed and returned to the rim before the phone checked (SDK §15.3.6).
  private var isBackAtRim: Bool {
    !life.stays(owed.isEntry, fence, behind: owed.since, until: owed.due ?? owed.since)
  }

  /// The fence is not selected before the device is in it (SDK §15.2.4).
  private var isSelectedLate: Bool {
    owed.isEntry && life.hasChosenFences && !life.choosesFencesInTime(since: selected)
  }

  /// A trip that begins elsewhere, in the fence, is there before the fence is monitored: without an initial trigger that is not
  /// reported (SDK §15.4).
  private var isSelectedBehindTheEntry: Bool {
    owed.isEntry && life.hasChosenFences && life.setOut(at: owed.since)
      && life.configuration?.geolocation.geofenceInitialTriggerEntry == false
  }

  /// The selection of nearby fences and polygon tests need positions (SDK §15.2.4, §15.5.2).
  private var mayLackPositions: Bool {
    (life.hasChosenFences || fence.isPolygon) && !life.seesSky(since: selected)
  }
}

/// Why a dwell event that was not reported in time may be no mistake.
struct DwellExcuses {
  let due: MonotonicInstant
  let watch: FenceWatch
  /// All fences of the device.
  let fences: WatchedFences
  let life: TrueLife
  let now: MonotonicInstant

  var areAny: Bool { isAtRim || knowsNoPlace || mayHaveEnded || mayBePassedOver }

  /// The end of the delay.
  private var end: MonotonicInstant { due - FenceStay.patience }

  private var isAtRim: Bool { life.place(at: now).map { watch.truth.isInside($0) == nil } ?? false }

  /// A process that has begun since needs a position to know that it is still inside (SDK §15.4).
  private var knowsNoPlace: Bool { life.knowsNoPlace(at: end) }

  /// Without notifyOnExit, an exit at the rim ends the visit and is not reported.
  private var mayHaveEnded: Bool {
    guard !watch.fence.notifyOnExit, let began = watch.stay.began else { return false }
    return life.mayHaveLeft(watch.truth, since: began, until: now)
  }

  /// During the stay there were more fences near its positions than the system monitors (SDK §15.2.2).
  private var mayBePassedOver: Bool {
    let selected = (watch.stay.began ?? end) - OwedReport.choice
    return fences.isCrowded(life, since: selected, until: now, behind: life.errors.most(since: selected))
  }
}
