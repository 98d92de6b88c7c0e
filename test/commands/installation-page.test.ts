import { describe, expect, it } from "vitest";
import { answering, BARE, CRM, get, list, TERMINAL } from "./installations-at.ts";

/** The page of an installation, as one line for each of its lines without the spaces around. */
async function page(more: object): Promise<string> {
  const { stdout, code } = await get(["ins_1", "--integration", CRM], {
    ...TERMINAL,
    ...answering({ ...BARE, ...more }),
  });
  expect(code).toBe(0);
  return stdout.replace(/ {2,}/gu, "  ");
}
const configured = (content: object) => page({ config: { content } });

describe("the configuration of an installation", () => {
  it("is nothing only where nothing at all is configured", async () => {
    for (const content of [
      { provider: "hubspot" },
      { read: null },
      { read: { objects: {} }, write: {}, subscribe: null, proxy: {} },
    ]) {
      expect(await configured(content)).toContain("\nReads nothing.\n");
    }
    for (const content of [
      { write: { objects: { contact: { objectName: "contact" } } } },
      { subscribe: { objects: {} }, proxy: { enabled: true } },
      { read: { allObjects: true } },
      { somethingNew: { of: "later" } },
    ]) {
      expect(await configured(content)).not.toContain("Reads nothing");
    }
    const unknown = await page({ config: { id: "cfg_1" } });
    expect(unknown).not.toContain("Reads nothing");
    expect(unknown).toContain("The service does not report the configuration.");
  });

  it("is left out where the service reports it otherwise than specified", async () => {
    for (const config of ["none", ["x"], { content: "all" }, { content: { read: "all" } }]) {
      const shown = await page({ config });
      expect(shown).toContain("\nThe configuration is not as specified.\n");
      expect(shown).not.toMatch(/Reads nothing|does not report/u);
    }
    for (const config of [null, {}, { content: null }]) {
      expect(await page({ config })).toContain("The service does not report the configuration.");
    }
  });

  it("is shown with the whole path of each field that is not as specified", async () => {
    const objects = { contact: null, deal: { schedule: 5 } };
    const shown = (await configured({ read: { objects } })).replace(/\s+/gu, " ");
    expect(shown).toMatch(
      / Not as specified config\.content\.read\.objects\.contact: null \(expected object, received null\) config\.content\.read\.objects\.deal\.schedule: 5 \(expected string, received number\) $/u,
    );
  });

  it("shows writes, subscriptions, the proxy, and what is new", async () => {
    const shown = await configured({
      write: {
        objects: { contact: { objectName: "contacts", valueDefaults: { a: 1 } }, deal: {} },
      },
      subscribe: { objects: { account: { destination: "hook" } }, filter: "x" },
      proxy: { enabled: true },
      later: [1, 2],
    });
    expect(shown).toContain('\nWrites\n  contacts  valueDefaults = {"a":1}\n  deal  configured\n');
    expect(shown).toContain("\nSubscribes\n  account  destination = hook\n  filter  x\n");
    expect(shown).toContain("\nAlso configured\n  Proxy  enabled\n  later  1, 2\n");
    expect(await configured({ proxy: { enabled: false } })).toContain("Proxy  not enabled");
  });

  it("shows of each object what the service reports and no more", async () => {
    const shown = await configured({
      read: {
        objects: {
          contact: { objectName: "contacts", disabled: true, selectedFieldsAuto: "all" },
          deal: {
            schedule: "0 * * * *",
            selectedFields: {},
            selectedFieldMappings: { mail: "email" },
            backfill: { defaultPeriod: { days: 30 } },
          },
          account: {},
        },
      },
    });
    expect(shown).toContain("  contacts  paused\n  all fields\n");
    expect(shown).toContain(
      '  deal  every hour (0 * * * *)\n  next run 2026-09-02 09:00 UTC\n  maps email to mail\n  backfill {"defaultPeriod":{"days":30}}\n',
    );
    expect(shown).toContain("  account  no details reported\n");
    expect(shown).not.toMatch(/no schedule|no fields/u);
    expect(shown).toContain("Diagnosis  Paused in the configuration: reading contacts\n");
  });
});

describe("the diagnosis of an installation", () => {
  it("says nothing of states that are not known", async () => {
    expect(await page({ healthStatus: "meditating" })).not.toContain("Diagnosis");
    const odd = await page({ healthStatus: "unhealthy", lastOperationStatus: "half_done" });
    expect(odd).toContain("Diagnosis  Unhealthy\n");
    expect(await page({ healthStatus: "unhealthy", lastOperationStatus: "success" })).toContain(
      "Diagnosis  Unhealthy; the last operation succeeded\n",
    );
  });
});

describe("the owner of an installation", () => {
  const connection = {
    id: "con_1",
    projectId: "prj_2",
    group: { groupName: "Acme Corp", groupRef: "acme", projectId: "prj_3" },
    consumer: {
      consumerName: "Ada",
      consumerRef: "ada",
      projectId: "prj_1",
      createTime: "2026-08-01T00:00:00Z",
    },
  };

  it("is also that of its connection, and it is found by it", async () => {
    const shown = await page({ connection });
    expect(shown).toMatch(/^Acme Corp /u);
    expect(shown).toContain("  Group  Acme Corp · ref acme · project prj_3\n");
    expect(shown).toMatch(/ {2}Consumer created {2}.*2026-08-01T00:00:00Z/u);
    expect(shown).toContain("  Project  prj_2\n");
    const world = answering({ ...BARE, connection });
    expect((await get(["acme corp", "--integration", CRM, "-o", "id"], world)).stdout).toBe(
      "ins_1\n",
    );
    expect((await list([CRM], world)).stdout).toMatch(/^Acme Corp\t/u);
  });

  it("is reported from both records if they differ", async () => {
    const shown = await page({ connection, group: { groupName: "Umbrella" } });
    expect(shown).toMatch(/^Umbrella /u);
    expect(shown).toContain("  Group  Acme Corp · ref acme · project prj_3\n");
    expect(shown).toContain("  Group  Umbrella\n");
  });
});

it("does not show the creation of an installation as its update", async () => {
  const { stdout } = await list([CRM, "--json", "--fields", "id,updateTime"], answering(BARE));
  expect(JSON.parse(stdout)).toEqual([{ id: "ins_1" }]);
  expect((await list([CRM], answering(BARE))).stdout).not.toContain(BARE.createTime);
});
