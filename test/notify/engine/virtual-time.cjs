// Required by the program under test: its clocks show the time that a file has, and its sleeps are
// requests to whoever writes that file. Time passes only while the program waits.
const { readFileSync } = require("node:fs");
const { request } = require("node:http");
const timers = require("node:timers/promises");

const { AMP_TEST_TIME = "", AMP_TEST_SLEEP = "" } = process.env;
// The files of the program may be watched: this reads past that.
const read = readFileSync;
const now = () => Number(read(AMP_TEST_TIME, "utf8"));
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...words) {
    super(...(words.length === 0 ? [now()] : words));
  }

  static now() {
    return now();
  }
};
Object.defineProperty(performance, "now", { value: now });

timers.setTimeout = (ms, value, { signal } = {}) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const asked = request(`${AMP_TEST_SLEEP}?ms=${ms}`, { agent: false }, (answer) => {
      answer.resume().on("end", () => resolve(value));
    });
    const stop = () => {
      asked.destroy();
      reject(signal.reason);
    };
    signal?.addEventListener("abort", stop, { once: true });
    asked.on("error", () => {}).end();
  });
