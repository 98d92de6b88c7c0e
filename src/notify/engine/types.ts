import type { Api } from "../../api/operations/endpoint.ts";
import type { Address } from "../model/address.ts";
import type { ResourceKind } from "../model/resource.ts";
import type { RoutingModel } from "../model/routing.ts";
import type { LiveRouting } from "../plan/live.ts";
import type { Plan } from "../plan/plan.ts";
import type { StateBackend } from "../state/backend.ts";
import type { RecordOrigin, StateTarget } from "../state/state.ts";

/** How a run behaves; times in milliseconds. */
export interface EngineOptions {
  /** Creates at once where the service has lists; 1 without. */
  readonly parallel: number;
  /** How long after a time-out or 504 the service may still commit. */
  readonly commitHorizonMs: number;
  /** The same after a reset or another 5xx. */
  readonly resetHorizonMs: number;
  /** How long to wait for another run that holds the lock. */
  readonly lockWaitMs: number;
  /** How often a create that certainly was not done is sent; absent: the usual. */
  readonly attempts?: number;
  /** The longest wait that the service may ask for before a create; absent: the usual. */
  readonly longestWaitMs?: number;
  /** Deletes what this state made and the routing no longer names. */
  readonly prune: boolean;
  /** Creates again what the state knows and the service does not list any more. */
  readonly recreate: boolean;
}

/** What an engine works with. */
export interface EnginePorts {
  /** A signal of its own ends looks and deletes; creates are given one that comes later. */
  readonly api: Api;
  readonly project: string;
  readonly target: StateTarget;
  readonly backend: StateBackend;
  readonly options: EngineOptions;
  /** For the lock's holder record. */
  readonly command: string;
  /** Once it is aborted no further create starts, and those in flight have five seconds. */
  readonly signal: AbortSignal;
  /** Once it is aborted nothing is waited for any more: what is in flight is marked unknown. */
  readonly hardStop?: AbortSignal;
  /** Where results go that cannot be saved; by default the system's folder for temporary files. */
  readonly rescueFolder?: string;
  now(): Date;
  /** Resolves early, by rejecting, when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** A UUID. */
  uuid(): string;
  readonly observe: (event: EngineEvent) => void;
}

/** What happens, as it happens: progress lines, CI lines, tests. */
export type EngineEvent =
  | { readonly type: "planned"; readonly plan: Plan }
  | { readonly type: "intent"; readonly address: Address; readonly key: string }
  /** For the service, or for its list; `ms` is how long at most. */
  | {
      readonly type: "waiting";
      readonly address: Address;
      readonly ms: number;
      readonly why: string;
    }
  | { readonly type: "settled"; readonly settled: ResourceOutcome }
  /** A result that could not be saved where it belongs; `where` is absent where nowhere at all. */
  | {
      readonly type: "rescued";
      readonly address: Address;
      readonly id: string;
      readonly where?: string;
    }
  | { readonly type: "deleted"; readonly address: Address; readonly id: string };

/** What became of one address. */
export interface ResourceOutcome {
  readonly address: Address;
  readonly kind: ResourceKind;
  /**
   * `unknown` and the refusals end the run; what was in work is settled all the same. `absent`: was
   * begun earlier, and the list shows past the horizon that it never came about.
   */
  readonly outcome: "in-place" | RecordOrigin | "refused" | "unknown" | "ambiguous" | "absent";
  readonly id?: string;
  readonly requestId?: string;
  readonly ms: number;
  /** Whether this run sent a create for it. */
  readonly sent: boolean;
}

/** What a run that reached its end found and made. */
export interface Receipt {
  readonly settled: readonly ResourceOutcome[];
  readonly deleted: readonly { readonly address: Address; readonly id: string }[];
  /** Natural keys with several records, found by the last pass. */
  readonly duplicates: readonly { readonly address: Address; readonly ids: readonly string[] }[];
  /** Whether the last pass took place: not without lists, nor where the list failed by then. */
  readonly verified: boolean;
  readonly lists: boolean;
  readonly state: { readonly place: string; readonly lineage: string; readonly serial: number };
}

/** The engine's surface; `engine/apply.ts` and its neighbours implement it. */
export interface Engine {
  /** Looks, and sends no write. Takes no lock. */
  plan(model: RoutingModel): Promise<{ plan: Plan; live: LiveRouting | undefined }>;
  /**
   * Brings about what the model wants.
   * @throws {PartialError} exit 9: some is in place and some is not, or an outcome is unknown
   * @throws {ConflictError} exit 5: a name is taken by something else, ambiguous, or locked
   * @throws {AmpError} the service's refusal, where nothing was created
   */
  apply(model: RoutingModel, approve?: (plan: Plan) => Promise<void>): Promise<Receipt>;
  /** Settles what is pending, creates nothing new. */
  resume(): Promise<readonly ResourceOutcome[]>;
}
