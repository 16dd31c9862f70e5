-- Uploads in the default schema, for wrk: wrk -s upload.lua URL -- RECORDS_PER_UPLOAD DEVICES [FIRST_SECOND]
-- Recorded time begins at FIRST_SECOND since 1970, or now.
-- Every record has a uuid and a time of its own; at the end the records of 2xx answers are told as "acknowledged N".
local per_upload, devices, sequence, run = 1, 5000, 0, 0
local workers = {}

function setup(worker)
  worker:set("number", #workers)
  workers[#workers + 1] = worker
end

function init(arguments)
  per_upload = tonumber(arguments[1]) or 1
  devices = tonumber(arguments[2]) or 5000
  local random = io.open("/dev/urandom", "rb")
  local bytes = random:read(4)
  random:close()
  run = bytes:byte(1) * 16777216 + bytes:byte(2) * 65536 + bytes:byte(3) * 256 + bytes:byte(4)
  start = tonumber(arguments[3]) or os.time()
  acknowledged, refused = 0, 0
end

local second, clock = -1, ""

-- Phones report in step: one round over all devices is one second of recorded time.
local function record(n)
  local now = start + math.floor(n / devices)
  if now ~= second then
    second, clock = now, os.date("!%Y-%m-%dT%H:%M:%S", now)
  end
  return string.format(
    '{"timestamp":"%s.%03dZ","recorded_at":"%s.%03dZ","age":31,"uuid":"%08X-%04X-4000-8000-%012X","is_moving":true,'
      .. '"odometer":%d.27,"odometer_error":12.5,"coords":{"latitude":48.%07d,"longitude":11.%07d,"accuracy":6.5,'
      .. '"speed":11.8,"speed_accuracy":0.9,"heading":184.2,"heading_accuracy":3.4,"altitude":519.4,'
      .. '"altitude_accuracy":4.1,"ellipsoidal_altitude":566.2},"activity":{"type":"in_vehicle","confidence":100},'
      .. '"battery":{"level":0.73,"is_charging":false},"extras":{"trip":4711}}',
    clock, n % 1000, clock, n % 1000, run, number, n, n % 90000, n % 10000000, n * 7 % 10000000)
end

function request()
  local device = sequence % devices
  local body
  if per_upload == 1 then
    body = '{"location":' .. record(sequence) .. ',"device_id":"load-' .. device .. '"}'
    sequence = sequence + 1
  else
    local records = {}
    for i = 1, per_upload do
      records[i] = record(sequence)
      sequence = sequence + 1
    end
    body = '{"location":[' .. table.concat(records, ",") .. '],"device_id":"load-' .. device .. '"}'
  end
  return wrk.format("POST", nil, { ["Content-Type"] = "application/json" }, body)
end

function response(status)
  if status >= 200 and status < 300 then acknowledged = acknowledged + per_upload else refused = refused + 1 end
end

function done(summary, latency)
  local records, errors = 0, summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  for _, worker in ipairs(workers) do
    records = records + worker:get("acknowledged")
    errors = errors + worker:get("refused")
  end
  io.write(string.format("RESULT %.0f %.0f %.2f %d\n", records / (summary.duration / 1e6),
    summary.requests / (summary.duration / 1e6), latency:percentile(99) / 1000, errors))
end
