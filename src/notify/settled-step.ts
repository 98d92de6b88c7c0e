/** A step that has settled, as it is told. */
export interface SettledStep {
  readonly state: "done" | "unchanged" | "failed" | "unknown";
  readonly kind: string;
  readonly name: string;
  readonly id?: string;
  /** Why, where the state does not say it. */
  readonly note?: string;
}
