import Base
import Contract
import DeviceLog
import Testing
import Vocabulary

/// What Android writes with `useSignificantChangesOnly`.
struct SignificantGrammarTests {
  private func facts(_ place: String, _ text: String) throws -> [LogFact.Content] {
    try #require(LogReader("03-14 08:00:05.000 DEBUG [\(place)] \n\(text)\n")).facts.map(\.content)
  }

  @Test func aSignificantChangeHasItsAccuracyAndItsAge() throws {
    let found = try facts(
      "SlcLocationReceiver onReceive", "  📍 SLC Location[fused -2.5,48.25, acy: 17.857m, age: 4s]")
    guard case .significantFix(let fix, ageMilliseconds: 4_000)? = found.first else {
      Issue.record("\(found)")
      return
    }
    #expect(fix.coords.latitude == -2.5 && fix.coords.longitude == 48.25 && fix.coords.accuracy == 17.857)
    #expect(fix.timestamp.millisecondOfDay == (8 * 3_600 + 1) * 1_000)
  }

  @Test func aPhoneWithCommasWritesThemHereToo() throws {
    let found = try facts(
      "SlcLocationReceiver onReceive", "  📍 SLC Location[gps -2,5,48,25, acy: 17,5m, age: 0s]")
    guard case .significantFix(let fix, _)? = found.first else {
      Issue.record("\(found)")
      return
    }
    #expect(fix.coords.latitude == -2.5 && fix.coords.longitude == 48.25 && fix.coords.accuracy == 17.5)
  }

  @Test func positionsOfOtherAppsAndExitsFromTheMovingGeofenceAreTold() throws {
    guard
      case .passiveFix(let passive)? = try facts(
        "PassiveLocationReceiver onReceive", "  ℹ️  Passive location: 1.5,2.5, acy: 1096.5m, age: 1s"
      ).first,
      case .movingGeofenceExit(let exit)? = try facts(
        "SlcLocationReceiver handleGeofencingEvent", "  🎈 SLC moving geofence EXIT @ 1.5,2.5"
      ).first
    else {
      Issue.record("not told")
      return
    }
    #expect(passive.coords.accuracy == 1_096.5 && exit.coords.latitude == 1.5 && exit.coords.accuracy == nil)
    #expect(
      try facts(
        "SlcLocationReceiver handleGeofencingEvent", "  ⚠️  SLC moving geofence EXIT ignored — stale (isMoving=false)")
        == [.other(place: "SlcLocationReceiver handleGeofencingEvent")])
  }

  @Test(arguments: [
    "SLC NOISE (exact duplicate, raw=0): hAcc=17.9m",
    "SLC NOISE (overlapping accuracy circles): raw=3.0m < sumRadii=9.0m (hAccs 4.0/5.0)",
    "SLC NOISE (ghost coordinate, seen before): 1.0,2.0, hAcc=100.0m", "SLC REJECTED: low-accuracy metrics=x → y",
  ])
  func whatWasDroppedIsTold(text: String) throws {
    #expect(try facts("SlcLocationProvider evaluateLocation", "  ⚠️  " + text) == [.significantFixDropped])
  }

  @Test func anIgnoredCrossingIsACrossing() throws {
    for (title, isEntry) in [
      ("Ignoring spurious geofence EXIT (never entered)", false),
      ("Ignoring duplicate geofence ENTER (already inside)", true),
    ] {
      let found = try facts(
        "GeofencingProcessor handleGeofencingEvent",
        "╔═══\n║ \(title)\n╠═══\n╟─ id=A fence\n╟─ entryState=X\n╟─ 📍 Trigger=Location[fused 1.5,2.5 hAcc=9.5 "
          + "{Bundle[{a=1}]}]\n╟─ 📍 Current=Location[fused 3.5,4.5 hAcc=1]\n╚═══")
      #expect(found.first == .geofenceCrossing(identifier: "A fence", isEntry: isEntry))
      guard case .geofenceTrigger("A fence", let fix, nil)? = found.last else {
        Issue.record("\(found)")
        return
      }
      #expect(fix.coords.latitude == 1.5 && fix.coords.accuracy == 9.5)
    }
  }

  @Test func theTriggerOfACrossingHasItsAgeAndTheFenceItsRadius() throws {
    let found = try facts(
      "GeofencingProcessor logTriggerVsGeofence",
      "╔═══\n║ Trigger vs Geofence center: home\n╠═══\n╟─ 📍 Trigger=Location[fused 1.5,2.5 hAcc=9.5]\n"
        + "╟─ dist=400.5m radius=150.0m\n╟─ minPossibleDist=1.0m (outsideBy=2.0m)\n"
        + "╟─ triggerAge=1500ms provider=fused\n╚═══")
    guard case .geofenceTrigger("home", let fix, radiusMetres: 150)? = found.first else {
      Issue.record("\(found)")
      return
    }
    #expect(fix.timestamp.millisecondOfDay == 8 * 3_600_000 + 3_500)
  }

  @Test func theStationaryCheckIsAStopTimer() throws {
    #expect(
      try facts("TSScheduleManager oneShot", "  ⏰ Scheduled OneShot: SLC_STATIONARY_CHECK in 1200000ms (jobID: 1)")
        == [.stopTimeoutEngaged(seconds: 1_200)])
    #expect(
      try facts("TSScheduleManager cancelOneShot", "  ⏰ Cancel OneShot: SLC_STATIONARY_CHECK")
        == [.timerStopped(name: "stopTimeout")])
    #expect(
      try facts("ScheduleEvent onOneShot", "╔══\n║ ⏰ OneShot event fired: SLC_STATIONARY_CHECK\n╠══")
        == [.stopTimeoutFired])
  }

  @Test func thePaceIsToldInPassing() throws {
    #expect(
      try facts("TSGeofenceManager setLocation", "isMoving: true | stateChanged: false | timerExpired: true")
        == [.pace(isMoving: true)])
    #expect(
      try facts("SlcLocationProcessor process", "  🔵  Acquired motionchange position, isMoving: false")
        == [.acquired(.motionChange(isMoving: false))])
  }

  @Test func aMissedExitAndAPositionThatCannotBeHadAreTold() throws {
    #expect(
      try facts("StationaryExitVerifier x", "╔══\n║ Missed stationary EXIT detected (location audit)\n╠══\n╟─ a\n╚══")
        == [.regionExit])
    #expect(
      try facts(
        "SlcLocationProvider start", "  ⚠️  SLC stationary check: rejecting stale fix (age=900s > 300s) — rescheduling")
        == [.motionChangeFailed])
  }
}
