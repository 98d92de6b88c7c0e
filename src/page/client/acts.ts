import type { PageRouting } from "../model.ts";
import {
  button,
  type Child,
  commandBox,
  factList,
  h,
  idText,
  parsed,
  timeElement,
  toast,
} from "./dom.ts";
import type { Session } from "./session.ts";

interface Act {
  readonly title: string;
  readonly test: string;
  readonly content: readonly Child[];
  /** What does the same on the command line, without the target. */
  readonly command: () => readonly string[];
  readonly label: string;
  readonly path: string;
  readonly body: () => object;
  readonly done: () => string;
}

/** Asks for what an act needs, and does it. Esc closes the dialog. */
function openAct(session: Session, act: Act): void {
  const error = h("p.error", { role: "alert" });
  const [command, update] = commandBox(() => session.command(...act.command()));
  const submit = async (event: Event) => {
    event.preventDefault();
    try {
      await session.post(act.path, act.body());
      toast(act.done());
      dialog.close();
    } catch (failure) {
      error.textContent = (failure as Error).message;
    }
  };
  const end = () => dialog.close();
  const form = h(
    "form",
    { submit, input: update },
    ...act.content,
    h("p.hint", "The same on the command line:"),
    command,
    error,
    h(
      "div.buttons",
      button("Cancel", end),
      h("button.main", { type: "submit", test: "do" }, act.label),
    ),
  );
  const dialog = h(
    "dialog",
    { "aria-labelledby": "dialog-title", test: act.test, close: () => dialog.remove() },
    h(
      "header",
      h("h2", { id: "dialog-title" }, act.title),
      button("×", end, { class: "close", "aria-label": "Close" }),
    ),
    form,
  );
  document.body.append(dialog);
  dialog.showModal();
  form.querySelector<HTMLElement>("input, select")?.focus();
}

/** A labelled input, which tests find by `data-test`. */
function field(label: string, input: HTMLElement, test: string, hint = ""): HTMLElement {
  input.setAttribute("data-test", test);
  return h("label.field", h("span", label), hint !== "" && h("small", hint), input);
}

/** Offers these in a select element; what was chosen stays chosen if it is among them. */
export function offer(
  select: HTMLSelectElement,
  choices: readonly (readonly [value: string, label?: string])[],
  chosen = select.value,
): HTMLSelectElement {
  select.replaceChildren(
    ...choices.map(([value, label]) => h("option", { value }, label ?? value)),
  );
  if (choices.some(([value]) => value === chosen)) select.value = chosen;
  return select;
}

const numberInput = (value: number, min: number, max: number) =>
  h("input", { type: "number", value, min, max, required: "" });

/** A button that acts at once, beside the command that does the same. */
export function actAtOnce(session: Session, act: Omit<Act, "title" | "content">): HTMLElement {
  const run = () =>
    session.post(act.path, act.body()).then(
      () => toast(act.done()),
      (failure: Error) => toast(failure.message),
    );
  const props = { test: act.test, "data-key": `${act.test} ${act.command().join(" ")}` };
  const [command] = commandBox(() => session.command(...act.command()));
  return h(
    "div.at-once",
    button(act.label, () => void run(), props),
    command,
  );
}

/** The input of a field of an event; what was not changed is left to the sandbox. */
function fieldInput([name, example]: readonly [name: string, example: unknown]) {
  const type = typeof example;
  const given = type === "string" ? String(example) : JSON.stringify(example);
  const input =
    type === "boolean"
      ? offer(h("select"), [["true"], ["false"]], given)
      : type === "object"
        ? h("textarea", { rows: Math.min(4, 1 + given.length / 50), spellcheck: "false" }, given)
        : h("input", { type, step: "any", value: given });
  const read = (): unknown => {
    const value = type === "string" ? input.value : parsed(input.value);
    if (value === undefined) throw new Error(`${name} is not valid JSON.`);
    return value;
  };
  const element = field(name, input, `field-${name}`);
  // The command line takes what is valid JSON for JSON.
  const text = () =>
    type === "string" && parsed(input.value) !== undefined
      ? JSON.stringify(input.value)
      : input.value;
  return { name, element, read, text, isChanged: () => input.value !== given };
}

/** Lets an event occur, with fields that a person may change. */
export function openTrigger(
  session: Session,
  preset: { type?: string; about?: string } = {},
): void {
  const { eventTypes, installations } = session.state;
  const types = eventTypes.map((one) => [one.type] as const);
  const type = offer(h("select"), types, preset.type);
  const about = h("input", { list: "known", value: preset.about ?? "", placeholder: "any" });
  const known = installations.map(({ id, customer }) => h("option", { value: id }, customer));
  const repeat = numberInput(1, 1, 10_000);
  const fields = h("fieldset");
  let inputs: ReturnType<typeof fieldInput>[] = [];
  const show = () => {
    const { data = {} } = eventTypes.find((one) => one.type === type.value) ?? {};
    inputs = Object.entries(data).map(fieldInput);
    fields.replaceChildren(h("legend", "Fields"), ...inputs.map(({ element }) => element));
  };
  type.addEventListener("change", show);
  show();
  const changed = () => inputs.filter(({ isChanged }) => isChanged());
  openAct(session, {
    title: "Trigger an event",
    test: "trigger-dialog",
    content: [
      field("Event type", type, "trigger-type"),
      field("Installation", about, "trigger-about"),
      h("datalist", { id: "known" }, ...known),
      field("Times", repeat, "trigger-times"),
      fields,
    ],
    command: () => [
      "trigger",
      type.value,
      ...(about.value ? ["--installation", about.value] : []),
      ...(repeat.value === "1" ? [] : ["--repeat", repeat.value]),
      ...changed().flatMap(({ name, text }) => ["--set", `${name}=${text()}`]),
    ],
    label: "Trigger",
    path: "trigger",
    body: () => {
      const data = Object.fromEntries(changed().map(({ name, read }) => [name, read()]));
      const installationId = about.value || undefined;
      const { project } = session;
      return { project, type: type.value, repeat: Number(repeat.value), installationId, data };
    },
    done: () => `Triggered ${type.value}${repeat.value === "1" ? "" : ` ${repeat.value} times`}`,
  });
}

/** Makes the next deliveries fail. */
export function openFail(session: Session, destination = ""): void {
  const { destinations } = session.state.routing;
  const all = destinations.map(({ id, name }) => [id, name] as const);
  const to = offer(h("select"), [["", "every destination"], ...all], destination);
  const name = () => destinations.find(({ id }) => id === to.value)?.name;
  const next = numberInput(2, 1, 1000);
  const title = "An HTTP status, timeout or reset";
  const pattern = "[345]\\d\\d|timeout|reset";
  const failure = h("input", { list: "failures", value: "503", required: "", pattern, title });
  const known = ["500", "503", "429", "timeout", "reset"].map((value) => h("option", { value }));
  openAct(session, {
    title: "Fail deliveries",
    test: "fail-dialog",
    content: [
      field("Destination", to, "fail-destination"),
      field("Next deliveries", next, "fail-next"),
      field("Failure", failure, "fail-with", title),
      h("datalist", { id: "failures" }, ...known),
    ],
    command: () => {
      const words = ["--next", next.value, "--with", failure.value];
      return ["sandbox", "fail", ...[name() ?? []].flat(), ...words];
    },
    label: "Fail them",
    path: "faults",
    body: () => {
      const status = Number(failure.value) || undefined;
      const kind = status === undefined ? failure.value : "status";
      return { destination: to.value || undefined, next: Number(next.value), kind, status };
    },
    done: () => `The next ${next.value} deliveries to ${name() ?? "any destination"} will fail`,
  });
}

/** Forwards the clock, so that what is due by then happens now. */
export function openForward(session: Session): void {
  const title = "A number with its unit, such as 30s, 5m, 2h or 3d";
  const by = h("input", { value: "5m", required: "", pattern: "\\d+(ms|[smhdw])", title });
  openAct(session, {
    title: "Forward the clock",
    test: "forward-dialog",
    content: [field("By", by, "forward-by", title)],
    command: () => ["sandbox", "forward", by.value],
    label: "Forward",
    path: "clock",
    body: () => ({ forward: by.value }),
    done: () => `Forwarded the clock by ${by.value}`,
  });
  by.select();
}

/** Begins anew, after a question. */
export function openReset(session: Session): void {
  const warning =
    "All data is as it was at the start. Events, deliveries and faults are deleted, and the clock is set back.";
  openAct(session, {
    title: "Reset the sandbox",
    test: "reset-dialog",
    content: [h("p", warning)],
    command: () => ["sandbox", "reset"],
    label: "Reset",
    path: "reset",
    body: () => ({}),
    done: () => "The sandbox was reset",
  });
}

/** The facts and acts of a destination. */
export function openDestination(
  session: Session,
  { id, name, type, target, state, failingSince }: PageRouting["destinations"][number],
): void {
  const isPaused = state === "paused";
  const fail = button("Fail deliveries…", () => {
    fail.closest("dialog")?.close();
    openFail(session, id);
  });
  openAct(session, {
    title: name,
    test: "destination-dialog",
    content: [
      factList({
        Type: type,
        Target: target,
        State: state,
        "Failing since": failingSince && timeElement(failingSince, true),
        ID: idText(id),
      }),
      h("div.buttons", fail),
    ],
    command: () => ["sandbox", isPaused ? "resume" : "pause", name],
    label: isPaused ? "Resume deliveries" : "Pause deliveries",
    path: "pause",
    body: () => ({ destination: id, paused: !isPaused }),
    done: () => `${isPaused ? "Resumed" : "Paused"} deliveries to ${name}`,
  });
}
