-- Single uploads whose record has about SIZE bytes, for wrk: wrk -s sized.lua URL -- SIZE
local size, sequence, run = 500, 0, 0

function init(arguments)
  size = tonumber(arguments[1])
  local random = io.open("/dev/urandom", "rb")
  local bytes = random:read(4)
  random:close()
  run = bytes:byte(1) * 16777216 + bytes:byte(2) * 65536 + bytes:byte(3) * 256 + bytes:byte(4)
  clock = os.date("!%Y-%m-%dT%H:%M:%S")
  padding = string.rep("x", math.max(0, size - 190))
end

function request()
  sequence = sequence + 1
  local record = string.format(
    '{"timestamp":"%s.%03dZ","uuid":"%08X-0000-4000-8000-%012X","is_moving":true,"coords":{"latitude":48.%07d,'
      .. '"longitude":11.5,"accuracy":6.5},"extras":{"text":"%s"}}',
    clock, sequence % 1000, run, sequence, sequence % 90000, padding)
  return wrk.format("POST", nil, { ["Content-Type"] = "application/json" },
    '{"location":' .. record .. ',"device_id":"load-' .. sequence % 5000 .. '"}')
end

function done(summary, latency)
  local errors = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout + summary.errors.status
  io.write(string.format("RESULT %.0f %.0f %.2f %d\n", summary.requests / (summary.duration / 1e6),
    summary.requests / (summary.duration / 1e6), latency:percentile(99) / 1000, errors))
end
