/** A clock that stands still while anything can be done, and then jumps to the next alarm. */
export interface Clock {
  now(): Date;
  /** Time as it passes, whatever the clock shows. */
  elapsed(): number;
  /** Sets the clock forward or back, and no time passes. */
  jump(ms: number): void;
  /** Rejects where the signal is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Alarms that are set and have not rung. */
  readonly alarms: number;
}

interface Alarm {
  readonly at: number;
  readonly ring: () => void;
}

/** The journal takes one turn before it saves. */
const QUIET_TURNS = 3;

/** What else a clock heeds, and tells. */
interface ClockOptions {
  /** Whether somebody is at work who does not wait for the clock. */
  readonly isHeld?: () => boolean;
  readonly onTime?: (time: number) => void;
}

/** A clock that shows a day of 2026. */
export function createClock({ isHeld = () => false, onTime = () => {} }: ClockOptions = {}): Clock {
  let time = Date.parse("2026-01-02T03:04:05Z");
  let jumped = 0;
  let ticking = false;
  const alarms = new Set<Alarm>();

  // Whatever promises are about settles within some turns: then all wait for the clock.
  function tick(turns: number) {
    if (turns > 0) {
      setImmediate(tick, turns - 1);
      return;
    }
    if (isHeld()) {
      setTimeout(tick, 1, QUIET_TURNS);
      return;
    }
    ticking = false;
    const [first, ...rest] = alarms;
    if (first === undefined) return;
    const next = rest.reduce((one, other) => (other.at < one.at ? other : one), first);
    alarms.delete(next);
    time = Math.max(time, next.at);
    onTime(time);
    next.ring();
    schedule();
  }

  function schedule() {
    if (ticking || alarms.size === 0) return;
    ticking = true;
    setImmediate(tick, QUIET_TURNS);
  }

  return {
    now: () => new Date(time + jumped),
    elapsed: () => time,
    jump: (ms) => {
      jumped += ms;
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const stop = () => {
          alarms.delete(alarm);
          reject(signal?.reason);
        };
        const ring = () => {
          signal?.removeEventListener("abort", stop);
          resolve();
        };
        const alarm = { at: time + ms, ring };
        signal?.addEventListener("abort", stop, { once: true });
        alarms.add(alarm);
        schedule();
      }),
    get alarms() {
      return alarms.size;
    },
  };
}
