// What k6 needs for a bare upload a second of each user, over a connection of its own: no engine, no queue, no retries.
import http from 'k6/http';
import { sleep } from 'k6';

export const options = { vus: Number(__ENV.DEVICES), duration: __ENV.DURATION, discardResponseBodies: true };

export default function () {
  const body = JSON.stringify({
    location: {
      timestamp: new Date().toISOString(),
      uuid: crypto.randomUUID(),
      event: '',
      is_moving: true,
      odometer: 1250.5,
      coords: {
        latitude: 52.52001, longitude: 13.40495, accuracy: 5.1, altitude: 34.2, altitude_accuracy: 6.5,
        speed: 14.02, speed_accuracy: 0.48, heading: 93.5, heading_accuracy: 4.4,
      },
      activity: { type: 'in_vehicle', confidence: 88 },
      battery: { level: 0.76, is_charging: false },
      extras: {},
    },
  });
  http.post(__ENV.TARGET, body, { headers: { 'Content-Type': 'application/json', 'X-Device-Id': `k6-${__VU}` } });
  sleep(1);
}
