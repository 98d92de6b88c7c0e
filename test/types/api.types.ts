// Nothing here runs: `npm run types` refuses this file where an error that it expects is missing.

import { z } from "zod";
import { type Api, endpoint } from "../../src/api/operations/endpoint.ts";

const pickFruit = endpoint({
  method: "POST",
  path: "/orchards/{orchard}/trees/{tree}",
  does: "pick the fruit",
  query: ["season"],
  body: async () =>
    z.object({ kind: z.string(), count: z.number(), basket: z.string().optional() }),
  answer: async () => z.looseObject({ id: z.string() }),
});

const listFruit = endpoint({
  method: "GET",
  path: "/fruit",
  does: "list the fruit",
  answer: async () => z.array(z.looseObject({ id: z.string() })),
  credential: "optional",
});

export async function calls(api: Api): Promise<void> {
  const path = { orchard: "north", tree: "7" };
  const body = { kind: "apple", count: 1 };
  const query = { season: "autumn" };

  const picked = await api.call(pickFruit, { path, query, body });
  picked.id satisfies string;
  // @ts-expect-error an unknown field is there perhaps, but not as text
  picked.weight satisfies string;

  const coming = await api.list(listFruit, {});
  for await (const batch of coming) batch satisfies { id: string } | readonly { id: string }[];
  // @ts-expect-error one thing is not a list
  await api.list(pickFruit, { path, query, body });

  // @ts-expect-error `tree` is missing
  await api.call(pickFruit, { path: { orchard: "north" }, query, body });
  // @ts-expect-error no name of the path
  await api.call(pickFruit, { path: { ...path, branch: "2" }, query, body });
  // @ts-expect-error the path takes texts
  await api.call(pickFruit, { path: { ...path, tree: 7 }, query, body });
  // @ts-expect-error the path is missing
  await api.call(pickFruit, { query, body });
  // @ts-expect-error no name of the query
  await api.call(pickFruit, { path, query: { reason: "autumn" }, body });
  // @ts-expect-error `count` is missing
  await api.call(pickFruit, { path, query, body: { kind: "apple" } });
  // @ts-expect-error `count` is a number
  await api.call(pickFruit, { path, query, body: { ...body, count: "1" } });
  // @ts-expect-error no field of the body
  await api.call(pickFruit, { path, query, body: { kind: "apple", count: 1, size: 2 } });

  const listed = await api.call(listFruit, {});
  listed[0]?.id satisfies string | undefined;
  // @ts-expect-error a list has no id
  listed.id;
  // @ts-expect-error it has no names in its path
  await api.call(listFruit, { path });
  // @ts-expect-error it has no query
  await api.call(listFruit, { query });
  // @ts-expect-error it has no body
  await api.call(listFruit, { body });
}

// @ts-expect-error no method that the service takes
endpoint({ method: "PUT", path: "/x", does: "x" });

// @ts-expect-error what says nothing of the credential requires one
endpoint({ method: "GET", path: "/x", does: "x", credential: "required" });

// @ts-expect-error no field of an endpoint
endpoint({ method: "GET", path: "/x", does: "x", summary: "x" });
