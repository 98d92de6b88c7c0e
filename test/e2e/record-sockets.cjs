// Loaded before amp by NODE_OPTIONS: writes each connection and look-up of this process, as the
// asynchronous resources of Node itself show them, so that no way of asking is missed.
const { createHook } = require("node:async_hooks");
const { appendFileSync } = require("node:fs");

const KINDS = {
  TCPCONNECTWRAP: "connect",
  PIPECONNECTWRAP: "connect",
  UDPSENDWRAP: "send",
  GETADDRINFOREQWRAP: "look up",
  GETNAMEINFOREQWRAP: "look up",
  QUERYWRAP: "look up",
};

createHook({
  init(_id, type, _trigger, resource) {
    const kind = KINDS[type];
    if (kind === undefined) return;
    // It is filled in by whoever makes it.
    process.nextTick(() => {
      const { hostname, address, port } = resource;
      const to = [hostname ?? address, port].filter((part) => part !== undefined).join(":");
      appendFileSync(process.env.AMP_TEST_SOCKETS, `${kind} ${to}\n`);
    });
  },
}).enable();
