import { secretProblem } from "../../events/signature.ts";
import { Secret } from "../../secrets/secret.ts";
import type { CasesFile } from "./schema.ts";

/** A receiver of the user's own. */
export interface OwnReceiver {
  readonly url: string;
  /** Its signing secret; absent: it gets the signatures of the simulated platform. */
  readonly secret?: string | undefined;
}

/** The receivers of the user's own, with their secrets, which are redacted from then on. */
export function ownReceivers(
  to: CasesFile["to"] = {},
  variable: (name: string) => string | undefined,
  error: (at: readonly PropertyKey[], message: string) => void,
): ReadonlyMap<string, OwnReceiver> {
  return new Map(
    Object.entries(to).map(([name, receiver]): [string, OwnReceiver] => {
      if (typeof receiver === "string") return [name, { url: receiver }];
      const from = /^env:([A-Za-z_]\w*)$/u.exec(receiver.secret)?.[1];
      const secret = from === undefined ? undefined : variable(from);
      const problem =
        from === undefined
          ? "secret must be env:VARIABLE"
          : secret
            ? secretProblem(secret)
            : `the variable ${from} is not set`;
      if (problem !== undefined) error(["to", name, "secret"], problem);
      return [name, { url: receiver.url, secret: secret && new Secret(secret).reveal() }];
    }),
  );
}
