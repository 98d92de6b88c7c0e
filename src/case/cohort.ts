import type { Installation } from "../api/schemas/installation.ts";

/** The way in which an installation fails, as far as its record says. */
type Way = "fine" | "failing" | "credentials" | "other";

/** The counts of a set of installations. */
export interface Tally {
  readonly total: number;
  /** The installations that fail, in any way. */
  readonly failing: number;
  /** The installations that fail with the same status as that of the case, itself included. A list says no more of the cause. */
  readonly alike: number;
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
      const alike = ofProvider.filter(({ ways }) => way !== "fine" && ways[way] > 0);
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
  const [fine, failing] = [sum("fine"), sum("failing") + sum("credentials")];
  return {
    total: fine + failing + sum("other"),
    failing,
    alike: way === "fine" ? 0 : sum(way),
    fine,
  };
}

function noCounts(): Counts {
  return { fine: 0, failing: 0, credentials: 0, other: 0 };
}

/** A single failed operation does not make an installation fail; an unknown health is not judged. */
function wayOf({ healthStatus, connection }: Installation): Way {
  if (connection.status === "bad_credentials") return "credentials";
  if (healthStatus === "unhealthy") return "failing";
  return healthStatus === "healthy" ? "fine" : "other";
}

function providerOf({ config, connection }: Installation): string {
  return config.content?.provider ?? connection.provider ?? "";
}
