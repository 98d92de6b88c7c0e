/** A service that has a long list, in a process of its own: `node test/bench/serve.ts COUNT`. */
import { serveLongList } from "../network/long-list-server.ts";

const { baseUrl } = await serveLongList(Number(process.argv[2]));
process.stdout.write(`${baseUrl}\n`);
