import type { ProviderApp } from "../api/schemas/provider-app.ts";
import { type Block, id, type Page, time } from "../view/view.ts";
import { entryTexts, row } from "./describe.ts";

/** A provider app laid out for reading, its metadata whole. */
export function appPage(app: ProviderApp): Page {
  const { authQueryParams, providerParams, ...further } = app.metadata ?? {};
  const metadata = [
    ...row("Auth URL", entryTexts(authQueryParams)),
    ...row("Provider", entryTexts(providerParams)),
    ...row("Further", entryTexts(further)),
  ];
  const blocks: Block[] = [
    {
      kind: "rows",
      rows: [
        ...row("ID", id(app.id)),
        ...row("Project", app.projectId),
        ...row("Client ID", app.clientId),
        ...row("Provider's ID", app.externalRef),
        ...row("Scopes", app.scopes ?? []),
        ...row("Created", time(app.createTime)),
        ...row("Updated", time(app.updateTime)),
      ],
    },
    metadata.length > 0
      ? { kind: "rows", heading: "Metadata", rows: metadata }
      : { kind: "text", text: "No metadata.", tone: "dim" },
  ];
  return { title: app.provider, aside: app.id, blocks };
}
