/** A moment by the clock of a service, in milliseconds since 1970, as exactly as it is known. */
export interface ServiceTime {
  /** The earliest time that it can be. */
  readonly earliest: number;
  /** The latest time that it can be. */
  readonly latest: number;
}

/** The clock of a service, as the `Date` headers of its answers show it. */
export interface ServiceClock {
  /**
   * Called when a request is sent.
   * @returns a function for the headers of its answer
   */
  listen(): (headers: Headers) => void;
  /** The time now; undefined while no answer had a date. */
  now(): ServiceTime | undefined;
}

/** The header counts whole seconds. */
const RESOLUTION_MS = 1_000;

/**
 * Creates the clock of a service without a response yet. Servers whose clocks differ, or one whose
 * clock jumps, make its time less exact, but not wrong.
 * @param passed a clock that never goes back, in milliseconds
 * @param shown the clock of this machine, in milliseconds: unlike the other, it goes on while the
 * machine sleeps
 */
export function createServiceClock(
  passed: () => number = () => performance.now(),
  shown: () => number = () => Date.now(),
): ServiceClock {
  let earliest = Number.POSITIVE_INFINITY;
  let latest = Number.NEGATIVE_INFINITY;
  let latestShown = Number.NEGATIVE_INFINITY;
  return {
    listen: () => {
      const sent = passed();
      const sentShown = shown();
      return (headers) => {
        const date = Date.parse(headers.get("date") ?? "");
        // The answer of a cache has an old date.
        if (Number.isNaN(date) || Number(headers.get("age") ?? 0) > 0) return;
        earliest = Math.min(earliest, date - passed());
        latest = Math.max(latest, date + RESOLUTION_MS - sent);
        latestShown = Math.max(latestShown, date + RESOLUTION_MS - sentShown);
      };
    },
    now: () =>
      earliest === Number.POSITIVE_INFINITY
        ? undefined
        : {
            earliest: earliest + passed(),
            latest: Math.max(latest + passed(), latestShown + shown()),
          },
  };
}

/** The times in so many milliseconds, as fields of a state: of this machine, and of the service. */
export function timeFields(
  { now, serviceTime }: { now(): Date; serviceTime(): ServiceTime | undefined },
  ms = 0,
): { readonly time: string; readonly serviceTime?: string } {
  const served = serviceTime();
  const time = new Date(now().getTime() + ms).toISOString();
  if (served === undefined) return { time };
  return { time, serviceTime: new Date(served.latest + ms).toISOString() };
}
