import type { Installation } from "../api/schemas/installation.ts";
import { redactQuoted } from "../secrets/quoted.ts";
import type { Block, Cell, Page } from "../view/view.ts";

/** The text in place of a person. */
const LEFT_OUT = "[name removed]";
const ADDRESS = /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu;

/**
 * The page of an installation for a ticket, which more people read than may know the customer's
 * users: without their names and addresses, and without secrets that a text quotes.
 */
export function ticketPage(page: Page, installation: Installation): Page {
  const { connection, id } = installation;
  const person = connection.consumer?.consumerName?.trim() ?? "";
  const clean = (text: string) => {
    const plain = redactQuoted(text).replace(ADDRESS, LEFT_OUT);
    return person === "" ? plain : plain.replaceAll(person, LEFT_OUT);
  };
  const cell = (value: Cell): Cell => {
    if (typeof value === "string") return clean(value);
    if (typeof value !== "object" || value === null) return value;
    const { raw } = value;
    return { ...value, text: clean(value.text), ...(raw === undefined ? {} : { raw: clean(raw) }) };
  };
  const title = cell(page.title);
  const isPerson = (typeof title === "object" ? title?.text : title) === LEFT_OUT;
  return {
    ...page,
    // A group of one person has the name of that person.
    title: isPerson ? id : title,
    blocks: page.blocks.map((block) => cleanBlock(block, cell, clean)),
  };
}

function cleanBlock(
  block: Block,
  cell: (value: Cell) => Cell,
  clean: (text: string) => string,
): Block {
  if (block.kind === "text") return { ...block, text: clean(block.text) };
  if (block.kind !== "rows") return block;
  const rows = block.rows.map(([label, value]) => {
    const cells = Array.isArray(value) ? value.map(cell) : cell(value as Cell);
    return [clean(label), cells] as const;
  });
  return { ...block, rows };
}
