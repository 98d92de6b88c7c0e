import type { TableView, Tone } from "./view.ts";

/** A screen of a list that changes. */
export interface LiveFrame<Item> {
  /** The line above the list. */
  readonly title: string;
  readonly items: readonly Item[];
  readonly view: TableView<readonly Item[]>;
  /** The line below the list. */
  readonly status: string;
  /** The tone of that line. */
  readonly tone?: Tone;
}

/** The output of a command that goes on until it is interrupted. */
export interface LiveOutput {
  /** Whether a person sees frames; otherwise a program reads items. */
  readonly isScreen: boolean;
  /** Whether the items are JSON, so that a program reads what stderr says to others, too. */
  readonly isJson: boolean;
  /** Whether the reader is gone. */
  readonly isClosed: boolean;
  /** Draws a frame in the place of the one before. */
  draw<Item>(frame: LiveFrame<Item>): Promise<void>;
  /** Writes items as they happen: a line of JSON or of tab-separated cells for each. */
  write<Item>(items: readonly Item[], view: TableView<readonly Item[]>): Promise<void>;
  /** Leaves the last frame on the screen. */
  close(): Promise<void>;
}
