import BackgroundGeolocation

// The examples one after the other, each on a phone of its own. At the top of a program a listener is one of the main
// actor, which calls it while the program waits.
let top = try Desk(.android)
var motions: [Bool] = []
let subscription = top.bgGeo.onMotionChange { location in motions.append(location.isMoving) }
top.bgGeo.ready { config in config.geolocation.distanceFilter = 10 }
try await top.bgGeo.start()
await top.live()
precondition(motions.contains(true) && motions.first == false, "it rests, and sets off")
subscription.remove()

let listened = try Desk()
var subscriptions = Set<EventSubscription>()
Listening.toEverything(listened.bgGeo, &subscriptions)
listened.bgGeo.ready { config in config.http.url = "http://tracker.example/locations" }
try await listened.bgGeo.start()
await listened.live()
precondition(subscriptions.count == 14 && listened.bgGeo.store.count == 0, "all is uploaded")

let shown = try Desk()
let screen = Screen(shown.bgGeo)
let diary = Diary()
await diary.begin(shown.bgGeo)
shown.bgGeo.ready { _ in }
screen.appear()
try await shown.bgGeo.start()
await shown.live()
screen.disappear()
await diary.end()
precondition(screen.lines.contains("sets off"))

let asked = try Desk()
let heartbeats = Positions.askAtEachHeartbeat(asked.bgGeo)
asked.bgGeo.ready { config in config.app.heartbeatInterval = 60 }
try await asked.bgGeo.start()
let watch = Positions.watch(asked.bgGeo)
await asked.live()
await Positions.ask(asked.bgGeo)
try await Positions.countFromHere(asked.bgGeo)
asked.bgGeo.stopWatchPosition(watch)
heartbeats.remove()
precondition(asked.bgGeo.odometer == 1_000)

let worked = try Desk()
try await LifeCycle.begin(worked.bgGeo)
try await LifeCycle.work(worked.bgGeo)
try await Keeping.fences(worked.bgGeo)
try await Keeping.records(worked.bgGeo)
try await Keeping.log(worked.bgGeo)
Configuring.all(worked.bgGeo)
print(Listening.untilEnough(worked.bgGeo) == subscription)
worked.bgGeo.terminate()

let registered = try Desk()
try await LifeCycle.register(registered.bgGeo)
let waiting = try Desk()
LifeCycle.callWhenThereIsTime(waiting.bgGeo).remove()
waiting.bgGeo.close()
print("the examples have run")
