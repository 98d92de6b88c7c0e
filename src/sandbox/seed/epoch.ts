/** The moment that the seeded world stands still at. */
const EPOCH = new Date("2026-09-01T12:00:00.000Z");

/** A time of the seeded world: this many hours before {@link EPOCH}. */
export function hoursBefore(hours: number): string {
  return new Date(EPOCH.getTime() - hours * 3_600_000).toISOString();
}

/** A time of the seeded world: this many days before {@link EPOCH}. */
export function daysBefore(days: number): string {
  return hoursBefore(days * 24);
}
