import { expect, it } from "vitest";
import { derived, shortened } from "../../src/values/basics.ts";

it("derives an object whose getters nobody calls, and which a further copy keeps whole", () => {
  let calls = 0;
  const base = {
    name: "base",
    get costly() {
      calls += 1;
      return calls;
    },
  };
  const twice = derived(derived(base, { name: "one" }), { other: true });
  expect(calls).toBe(0);
  expect([twice.name, twice.other, twice.costly, twice.costly]).toEqual(["one", true, 1, 2]);
  expect({ ...twice }).toEqual({ name: "one", other: true, costly: 3 });
  expect(base.name).toBe("base");
});

it("keeps a getter among the new members, and the methods of a class", () => {
  class Clock {
    hour = 1;
    text() {
      return `at ${this.hour}`;
    }
  }
  let hour = 2;
  const later = derived(new Clock(), {
    get hour() {
      return hour;
    },
  });
  hour = 3;
  expect(later.text()).toBe("at 3");
});

it("shortens a text behind a whole character", () => {
  expect(shortened("abc", 3)).toBe("abc");
  expect(shortened("abcd", 3)).toBe("abc…");
  expect(shortened("ab😀d", 3)).toBe("ab…");
  expect(shortened("a😀cd", 3)).toBe("a😀…");
});
