/** The clock of a sandbox: that of its machine, or as far from it as it was set. */
export class SandboxClock {
  /** The time of the machine, which receivers go by. */
  readonly machine: () => Date;
  readonly #startMs: number;
  /** How far it is ahead of the clock of the machine. */
  aheadMs: number;

  constructor(machine: () => Date, start?: Date) {
    this.machine = machine;
    this.#startMs = start === undefined ? 0 : start.getTime() - machine().getTime();
    this.aheadMs = this.#startMs;
  }

  /** The time of the world, and of the schedule of deliveries. */
  readonly now = (): Date => new Date(this.machine().getTime() + this.aheadMs);

  /** Goes forward to a time; a later one stays. */
  reach(time: number): void {
    this.aheadMs += Math.max(0, time - this.now().getTime());
  }

  /** Goes back to how it began. */
  reset(): void {
    this.aheadMs = this.#startMs;
  }
}
