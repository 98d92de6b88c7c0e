/** A process that saves profiles. Started by profiles.test.ts: `save-profiles.ts FOLDER PREFIX COUNT`. */
import { ProfileStore } from "../../src/account/store.ts";
import { Secret } from "../../src/secrets/secret.ts";

const [, , folder = "", prefix = "", count = "0"] = process.argv;
const store = new ProfileStore(folder, { wait: 60_000 });

for (let left = Number(count); left > 0; left -= 1) {
  const name = `${prefix}${left}`;
  await store.save(
    name,
    { baseUrl: "https://a.b/v1", credential: "api-key" },
    new Secret(`of ${name}`),
  );
}
