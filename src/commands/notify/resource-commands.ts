import {
  addressCell,
  type Cell,
  defineCommand,
  id,
  record,
  required,
  table,
  text,
  time,
} from "../../cli/define.ts";
import {
  type NamedEnds,
  type ShownKind,
  withEndNames,
  withIds,
} from "../../notify/find-resource.ts";
import { createAndIdentify, listForDisplay } from "../../notify/model/operations.ts";
import {
  type KeyField,
  type LiveRecord,
  RESOURCES,
  type ResourceKind,
  shownKey,
} from "../../notify/model/resource.ts";
import { createdPage } from "../../notify/resource-page.ts";
import { type SuggestedCommand, suggest } from "../../values/suggested-command.ts";

type Fields = Readonly<Record<string, string | undefined>>;

/** The command that lists the resources of a kind, with a filter for each field that has one. */
export function listCommand(
  kind: ResourceKind,
  { examples, next }: { readonly examples: readonly string[]; readonly next: SuggestedCommand },
) {
  const { words, key, details } = RESOURCES[kind];
  const filters = key.filter(({ filterHelp }) => filterHelp !== undefined);
  return defineCommand({
    options: Object.fromEntries(
      filters.map((field) => [field.option, optionOf(field, field.filterHelp ?? "")]),
    ),
    needs: ["project"],
    examples,
    fields: RESOURCES[kind].fields,
    run: async (context) => {
      const fields = await withIds(context, kind, fieldsOf(filters, context.options));
      const list = await listForDisplay(context, kind, fields);
      const { output, selection } = context;
      const isNamed = key.some(({ references, label }) => references && selection.uses(label));
      return output.forReading() || isNamed ? withEndNames(context, kind, list) : list;
    },
    view: table<NamedEnds>(
      words,
      {
        ...Object.fromEntries(
          shownKey(kind).map(({ label, field, references, textOf }) => [
            label,
            (one: NamedEnds) =>
              references === undefined ? nameCell(textOf(one)) : endCell(one, field),
          ]),
        ),
        ...details,
        Created: ({ createTime }) => time(createTime),
        ID: (one) => id(one.id),
      },
      { next, whenEmpty: suggest("notify setup") },
    ),
  });
}

/** A name: long ones often differ at their ends alone. */
function nameCell(name: string | null | undefined): Cell {
  return name && addressCell(name);
}

/**
 * The name of what a route leads from or to, with the ID for a pipe; the ID where no list says the
 * name.
 */
function endCell({ endNames, ...record }: NamedEnds, field: string) {
  const raw = record[field];
  if (typeof raw !== "string") return undefined;
  const name = endNames?.[field];
  return name === undefined ? id(raw) : { text: name, raw, kind: "address" as const };
}

/** The command that creates a resource of a kind that has no content beyond its key. */
export function createCommand(
  kind: ShownKind,
  {
    description,
    examples,
    next,
    check = () => [],
    send = (call) => call,
  }: {
    readonly description?: string;
    readonly examples: readonly string[];
    /** The command that usually follows the create. */
    readonly next: (created: LiveRecord) => SuggestedCommand;
    /** Warnings about the fields, which are sent anyway. */
    readonly check?: (fields: Fields) => readonly string[];
    /** Adds advice to the errors of the create. */
    readonly send?: (call: Promise<LiveRecord>, fields: Fields) => Promise<LiveRecord>;
  },
) {
  const { key } = RESOURCES[kind];
  return defineCommand({
    ...(description === undefined ? {} : { description }),
    options: Object.fromEntries(
      key.map((field) => [field.option, required(optionOf(field, field.help))]),
    ),
    needs: ["project"],
    effect: "write",
    examples,
    fields: RESOURCES[kind].fields,
    run: async (context) => {
      const typed = fieldsOf(key, context.options);
      for (const warning of check(typed)) context.report.warn(warning);
      const fields = await withIds(context, kind, typed);
      const list = suggest(`notify ${kind}s list`);
      return send(createAndIdentify(context, kind, fields, list), fields);
    },
    view: record<LiveRecord>((created) => createdPage(kind, created, next(created))),
  });
}

function optionOf({ field, option, placeholder, suggestions }: KeyField, help: string) {
  return text(help, {
    placeholder,
    ...(suggestions === undefined ? {} : { suggestions }),
    ...(field === option ? {} : { wire: field }),
  });
}

function fieldsOf(key: readonly KeyField[], options: Fields): Fields {
  return Object.fromEntries(key.map(({ field, option }) => [field, options[option]]));
}
