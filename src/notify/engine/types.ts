import type { Api } from "../../api/operations/endpoint.ts";
import type { OutcomeDocument, ReceiptJson } from "../../documents/routing.ts";
import type { ServiceTime } from "../../values/service-clock.ts";
import type { Address } from "../model/address.ts";
import type { Plan } from "../plan/plan.ts";
import type { RunChoices } from "../plan/planning.ts";
import type { StateBackend } from "../state/backend.ts";
import type { RunHead } from "../state/history.ts";
import type { StateManagerOptions } from "../state/manager.ts";

/** The options of a run; times in milliseconds. */
export interface EngineOptions extends RunChoices {
  /** Maximum parallel writes where the service has lists; without lists it is always 1. */
  readonly parallel: number;
  /**
   * The time in which the service may still commit a write of unknown outcome, and its lists be
   * out of date.
   */
  readonly commitHorizonMs: number;
  /**
   * The longest wait for an unknown outcome, and for a list that is behind, where nobody should wait
   * for a horizon. A delete counts as not done then: sent again, by its ID, it does no harm.
   * Everything else stays unknown. Absent: the horizon.
   */
  readonly patienceMs?: number | undefined;
  /** The longest time that the client waits for an answer. */
  readonly answerMs: number;
  /** The time to wait for another run that holds the lock. */
  readonly lockWaitMs: number;
  /** Maximum attempts at a write that was certainly not done; absent: 6. */
  readonly attempts?: number;
  /** The longest wait that the service may ask for before a write; absent: 60 s. */
  readonly longestWaitMs?: number;
}

/** The service, the state and the clock that an engine works with. */
export interface EnginePorts extends Omit<StateManagerOptions, "location" | "run"> {
  /** The API's own signal ends lists and deletes; other writes get a signal that comes later. */
  readonly api: Api;
  readonly project: string;
  readonly backend: StateBackend;
  readonly options: EngineOptions;
  /** The command line, for the record of the lock's holder. */
  readonly command: string;
  /**
   * Awaited before each intent, for a question would come between the intent and its request;
   * throws where the run may not write.
   */
  assertMayWrite?(): Promise<void>;
  /** The facts of the run for the history beyond its time, command and routing. */
  readonly history?: Pick<RunHead, "who" | "undoes">;
  /**
   * The signal that ends the run: no further write starts, and those in flight have five seconds.
   */
  readonly signal: AbortSignal;
  /**
   * Finds the reads of customers that name destinations: lines of text by the name. Absent: they are
   * not looked for.
   */
  readonly findReads?: (
    names: readonly string[],
  ) => Promise<ReadonlyMap<string, readonly string[]>>;
  /** The signal that ends those in flight at once; their outcome is unknown. */
  readonly urgentSignal?: AbortSignal;
  /**
   * The clock of this machine, which may jump: for times that are shown and saved, and for
   * decisions only where a wrong time does no harm.
   */
  now(): Date;
  /** The time by the clock of the service; undefined while none of its answers had a date. */
  serviceTime(): ServiceTime | undefined;
  /** The milliseconds of a clock that never goes back; they are meaningless outside this run. */
  elapsed(): number;
  /** Rejects when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  readonly onEvent: (event: EngineEvent) => void;
}

/** An event of a run, as it happens: for progress lines, CI lines, tests. */
export type EngineEvent =
  | { readonly type: "planned"; readonly plan: Plan }
  | { readonly type: "intent"; readonly address: Address; readonly key: string }
  /** A wait for the service, or for its list, of `ms` at most. */
  | {
      readonly type: "waiting";
      readonly address: Address;
      readonly ms: number;
      readonly why: string;
      /** Whether the wait is for the commit horizon: how long a write may still become known. */
      readonly horizon?: true;
    }
  | { readonly type: "settled"; readonly settled: OutcomeDocument }
  /**
   * A result that could not be saved in the state; `where` is absent where it was saved nowhere.
   */
  | {
      readonly type: "rescued";
      readonly address: Address;
      readonly id: string;
      readonly where?: string;
    };

/** The receipt of a run, also of one that ended early. */
export type Receipt = Omit<ReceiptJson, "counts" | "warnings">;
