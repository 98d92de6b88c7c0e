const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d/u;

/** Largest first; a month is the twelfth part of a year. Seconds. */
const UNITS = [
  ["y", 31_557_600],
  ["mo", 2_629_800],
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
] as const;

/** "2h ago" or "in 2h" for an RFC 3339 time; anything else comes back as it is. */
export function relative(iso: string, now: Date): string {
  const time = RFC_3339.test(iso) ? Date.parse(iso) : Number.NaN;
  if (Number.isNaN(time)) return iso;
  const seconds = (now.getTime() - time) / 1000;
  const distance = Math.abs(seconds);
  const unit = UNITS.find(([, size]) => distance >= size);
  // Under a minute it may as well be the difference between two clocks.
  if (!unit) return "just now";
  const amount = `${Math.floor(distance / unit[1])}${unit[0]}`;
  return seconds > 0 ? `${amount} ago` : `in ${amount}`;
}
