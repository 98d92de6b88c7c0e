import type { Installation } from "../api/schemas/installation.ts";
import { counted, numberText } from "../values/counted.ts";
import type { CaseSummary } from "./case-schema.ts";

/**
 * The state of an installation, as far as its record says. The first three are reported as failing:
 * by the connection; by the health, without a last operation that succeeded; by the health alone.
 */
type Way = "credentials" | "failing" | "succeeding" | "lastOperationFailed" | "fine" | "other";

/** The counts of a set of installations, by their records. The rest of the total is unknown. */
export interface Tally {
  /** All of them, that of the case included. */
  readonly total: number;
  /** The installations that are reported as failing, that of the case included. */
  readonly failing: number;
  /**
   * Those of them in the same {@link Way} as that of the case, itself included; 0 if it is not one
   * of them.
   */
  readonly alike: number;
  /** The others that are reported healthy, although their last operation failed. */
  readonly lastOperationFailed: number;
  /** The others that are reported healthy, and whose last operation did not fail. */
  readonly fine: number;
}

/** The installations beside the one that a case is about, in counts. */
export interface Cohort {
  readonly integration: Tally;
  readonly provider: Tally;
  /** The integrations of the provider that have an installation which fails alike. */
  readonly integrationsAlike: number;
}

type Counts = Record<Way, number>;

/** Counts installations as they arrive, in memory that depends on the integrations alone. */
export function createCounter() {
  const counts = new Map<string, { integrationId: string; provider: string; ways: Counts }>();
  return {
    add(installation: Installation): void {
      const { integrationId } = installation;
      const provider = providerOf(installation);
      const key = JSON.stringify([integrationId, provider]);
      const counted = counts.get(key) ?? { integrationId, provider, ways: noCounts() };
      counts.set(key, counted);
      counted.ways[wayOf(installation)] += 1;
    },
    /** The counts beside an installation. */
    beside(installation: Installation): Cohort {
      const way = wayOf(installation);
      const all = [...counts.values()];
      const ofProvider = all.filter(({ provider }) => provider === providerOf(installation));
      const alike = ofProvider.filter(({ ways }) => isReported(way) && ways[way] > 0);
      return {
        integration: tally(
          all.filter(({ integrationId }) => integrationId === installation.integrationId),
          way,
        ),
        provider: tally(ofProvider, way),
        integrationsAlike: new Set(alike.map(({ integrationId }) => integrationId)).size,
      };
    },
  };
}

function tally(counted: readonly { readonly ways: Counts }[], way: Way): Tally {
  const sum = (of: Way) => counted.reduce((total, { ways }) => total + ways[of], 0);
  // Its operations, and not its record, say whether the installation of the case works.
  const others = (of: Way) => sum(of) - (way === of ? 1 : 0);
  return {
    total: WAYS.reduce((total, of) => total + sum(of), 0),
    failing: REPORTED.reduce((total, of) => total + sum(of), 0),
    alike: isReported(way) ? sum(way) : 0,
    lastOperationFailed: others("lastOperationFailed"),
    fine: others("fine"),
  };
}

const REPORTED = ["credentials", "failing", "succeeding"] as const satisfies readonly Way[];
const WAYS: readonly Way[] = [...REPORTED, "lastOperationFailed", "fine", "other"];

function isReported(way: Way): boolean {
  return REPORTED.some((one) => one === way);
}

function noCounts(): Counts {
  return Object.fromEntries(WAYS.map((way) => [way, 0])) as Counts;
}

/**
 * A single failed operation does not make an installation fail; an unknown health is not judged.
 */
function wayOf({ healthStatus, lastOperationStatus, connection }: Installation): Way {
  if (connection.status === "bad_credentials") return "credentials";
  if (healthStatus === "unhealthy")
    return lastOperationStatus === "success" ? "succeeding" : "failing";
  if (healthStatus !== "healthy") return "other";
  return lastOperationStatus === "failure" ? "lastOperationFailed" : "fine";
}

function providerOf({ config, connection }: Installation): string {
  return config.content?.provider ?? connection.provider ?? "";
}

function isOfProvider({ rule }: CaseSummary): boolean {
  return rule === "provider-wide";
}

/** The installations beside it in counts: those of its integration, and those of its provider. */
export function cohortTexts(summary: CaseSummary): string[] {
  const { cohort, installation } = summary;
  const { integration, provider } = cohort;
  const name = installation.integration ?? "this integration";
  const texts = [cohortText(integration, "installation", ` of ${name}`)];
  if (provider.total !== integration.total && !isOfProvider(summary)) {
    texts.push(cohortText(provider, `${installation.provider ?? "provider"} installation`));
  }
  return texts;
}

/** What else holds, without the counts of its integration where those of the others have them. */
export function furtherTexts(summary: CaseSummary): string[] {
  const isCounted = (rule: string) => isOfProvider(summary) && rule === "integration-wide";
  return summary.also.filter(({ rule }) => !isCounted(rule)).map(({ says }) => says);
}

/** The installations beside it, by their records alone: their operations and logs were not read. */
function cohortText(tally: Tally, noun: string, of = ""): string {
  const { total, lastOperationFailed: lastFailed, fine } = tally;
  if (total === 1) return `no other ${noun}${of}`;
  const itself = tally.alike > 0 ? 1 : 0;
  const [failing, alike] = [tally.failing - itself, tally.alike - itself];
  const healthy = fine + lastFailed;
  const unknown = total - 1 - failing - healthy;
  const are = (count: number) => (count === 1 ? "is" : "are");
  const others = `${counted(total - 1, `other ${noun}`)}${of}`;
  return [
    `${failing === 0 ? "none" : numberText(failing)} of ${others} ${are(failing || 1)} reported as failing`,
    alike > 0 &&
      `${alike < failing ? `, ${numberText(alike)} of them` : ""} similarly (cause not compared)`,
    healthy > 0 && `; ${numberText(healthy)} ${are(healthy)} reported healthy`,
    lastFailed > 0 && `, ${numberText(lastFailed)} of them with a failed last operation`,
    unknown > 0 && `; the health of ${numberText(unknown)} is unknown`,
  ]
    .filter(Boolean)
    .join("");
}
