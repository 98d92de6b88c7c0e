import type { Context } from "../context.ts";
import type { Io } from "../io.ts";
import { closingLine, renderResult, unknownFields } from "../ui/render.ts";
import { display } from "../ui/text.ts";
import type { TableView, View } from "./view.ts";

/** Writes a result in the format that was asked for; the reader sets the pace. */
export async function present<Result>(
  io: Io,
  context: Context,
  view: View<Result>,
  result: Result,
): Promise<void> {
  const format = context.output();
  const fields = context.fields();
  const paint = context.paint("err");
  for (const warning of unknownFields([result].flat(), fields ?? [])) {
    await io.err.write(`${paint("attention", display(warning))}\n`);
  }
  const rendered = renderResult({
    result,
    view,
    format,
    fields,
    tty: io.out.isTty,
    width: io.out.columns,
    paint: context.paint("out"),
    now: io.now(),
  });
  for await (const chunk of rendered) {
    if (io.out.closed) return;
    await io.out.write(chunk);
  }
  if (closes(io, context) && view.kind === "table" && Array.isArray(result)) {
    const line = closingLine(view as TableView<unknown>, result, { width: io.err.columns, paint });
    await io.err.write(`${line}\n`);
  }
}

/** The closing line is for a person who sees both streams. */
function closes(io: Io, context: Context): boolean {
  const format = context.output() ?? "table";
  return format === "table" && io.out.isTty && io.err.isTty && !context.quiet;
}
