/** A service that has a long list, in a process of its own: `node test/bench/serve.ts COUNT`. */
import { serveLongList } from "../network/long-list-server.ts";

// The login reads the projects, and saves one that is not listed only with --yes.
const others = { projects: [{ id: "acme" }] };
const { baseUrl } = await serveLongList(Number(process.argv[2]), (record) => record, others);
process.stdout.write(`${baseUrl}\n`);
